import { type Command, Option } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { sweeperHashOf } from '../server/src/chain/address.ts'
import { activateDeposits } from '../server/src/chain/store.ts'
import {
  saveCurrency,
  saveNetwork,
  saveToken,
  setCurrencyActive,
  setNetworkActive,
} from '../server/src/currency/store.ts'
import { addOnchainCommands } from './onchain.ts'
import { print, run } from './tools.ts'

type CurrencyOptions = {
  name: string
  symbol: string
  decimals: string
  min: string
  max: string
  type: 'Fiat' | 'Crypto'
}
type NetworkOptions = { name: string; chainId: string; explorer: string; rpc: string }
type TokenOptions = { address: string; decimals: string }
type DepositOptions = {
  factory: string
  treasury: string
  kind: 'ephemeral' | 'lasting'
  finalDepth?: string
  trustOneNode?: true
}

/** The currencies and networks that the platform offers. */
export function addCatalogueCommands(scrip: Command): void {
  const currency = scrip.command('currency').description('the currencies that the platform offers')
  const network = scrip.command('network').description('the networks that the platform offers, and their tokens')
  addSwitchCommands(currency, 'currency', setCurrencyActive)
  addSwitchCommands(network, 'network', setNetworkActive)
  addCurrencyCommand(currency)
  addNetworkCommands(network)
  addOnchainCommands(network)
}

function addSwitchCommands(command: Command, name: string, setActive: typeof setCurrencyActive): void {
  for (const [verb, isActive] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    command.command(`${verb} <abbreviation>`).action((abbreviation: string) =>
      run(async ({ pool }) => {
        if (!(await setActive(pool, abbreviation, isActive))) throw new Error(`There is no ${name} ${abbreviation}.`)
        print(`${abbreviation} is ${isActive ? 'offered' : 'no longer offered'}.`)
      }),
    )
}

function addCurrencyCommand(currency: Command): void {
  currency
    .command('set <abbreviation>')
    .description('adds a currency, or changes its name, symbol and limits')
    .requiredOption('--name <name>')
    .requiredOption('--symbol <symbol>')
    .requiredOption('--decimals <number>', 'of its smallest unit; cannot be changed')
    .requiredOption('--min <amount>', 'smallest amount, in major units')
    .requiredOption('--max <amount>', 'largest amount, in major units')
    .addOption(new Option('--type <which>').choices(['Fiat', 'Crypto']).default('Fiat'))
    .action((code: string, options: CurrencyOptions) =>
      run(async ({ pool, clock }) => {
        const unit = { code, decimals: Number(options.decimals) }
        const amountMin = parseMoney(options.min, unit).minor
        const amountMax = parseMoney(options.max, unit).minor
        const { name, symbol, type } = options
        if (!(await saveCurrency(pool, { ...unit, name, symbol, type, amountMin, amountMax }, clock())))
          throw new Error(`${code} exists with other decimals or another type, which cannot be changed.`)
        print(`${code} is in the catalogue.`)
      }),
    )
}

function addNetworkCommands(network: Command): void {
  network
    .command('set <abbreviation>')
    .description('adds an EVM network, or changes its name and URLs')
    .requiredOption('--name <name>')
    .requiredOption('--chain-id <number>')
    .requiredOption('--explorer <url>')
    .requiredOption('--rpc <url>', 'a public URL: merchants see it')
    .action((abbreviation: string, options: NetworkOptions) =>
      run(async ({ pool }) => {
        const { name, chainId, explorer: explorerUrl, rpc: rpcUrl } = options
        await saveNetwork(pool, { abbreviation, name, chainId: BigInt(chainId), explorerUrl, rpcUrl })
        print(`${abbreviation} is in the catalogue.`)
      }),
    )
  addDepositsCommand(network)
  network
    .command('token <network> <currency>')
    .description('adds a currency to a network')
    .requiredOption('--address <address>', "the token's contract; the zero address for the network's own coin")
    .requiredOption('--decimals <number>', 'on this network')
    .action((on: string, code: string, options: TokenOptions) =>
      run(async ({ pool }) => {
        const token = { network: on, currency: code, address: options.address, decimals: Number(options.decimals) }
        if (!(await saveToken(pool, token))) throw new Error(`${on} or ${code} is not in the catalogue.`)
        print(`${code} is on ${on}.`)
      }),
    )
}

function addDepositsCommand(network: Command): void {
  network
    .command('deposits <network>')
    .description('accepts deposits on a network, through a factory that has passed its test there')
    .requiredOption('--factory <address>', 'as printed by npm run deploy -w contracts')
    .requiredOption('--treasury <address>', 'where all deposits are swept to')
    .addOption(new Option('--kind <kind>', 'of the factory').choices(['ephemeral', 'lasting']).default('ephemeral'))
    .option('--final-depth <blocks>', 'confirmations that make a block final, if nodes do not report finality')
    .option('--trust-one-node', 'accept a live network with a single node, which could invent payments')
    .action((on: string, options: DepositOptions) =>
      run(async ({ pool }) => {
        const { factory, treasury, kind, finalDepth, trustOneNode = false } = options
        const isKnown = await activateDeposits(pool, {
          abbreviation: on,
          factory,
          treasury,
          sweeperHash: sweeperHashOf(kind, treasury),
          ...(finalDepth !== undefined && { finalDepth: Number(finalDepth) }),
          trustsOneNode: trustOneNode,
        })
        if (!isKnown)
          throw new Error(`There is no network ${on}, or its deposit addresses belong to another factory or treasury.`)
        print(`${on} accepts deposits. Set its nodes in CHAIN_NODES.`)
      }),
    )
}
