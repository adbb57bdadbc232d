import { Argument, type Command, Option } from 'commander'
import { privateKeyToAddress } from 'viem/accounts'
import { saveNetwork, saveToken, setNetworkActive, setPaysAddresses } from '../server/src/catalogue/currency/store.ts'
import { sweeperHashOf } from '../server/src/chain/address.ts'
import { activateDeposits } from '../server/src/chain/store.ts'
import { addEnableCommands } from './enable.ts'
import { addVaultCommands } from './network-vault.ts'
import { print, run, type Tools } from './tools.ts'

type NetworkOptions = { name: string; chainId: string; explorer: string; rpc: string }
type TokenOptions = { address: string; decimals: string }
type DepositOptions = {
  factory: string
  treasury: string
  kind: 'ephemeral' | 'lasting'
  finalDepth?: string
  trustOneNode?: true
}

/** The networks that the platform offers, their tokens and their vaults. */
export function addNetworkCommands(scrip: Command): void {
  const network = scrip.command('network').description('the networks that the platform offers, and their tokens')
  addEnableCommands(network, 'network', setNetworkActive)
  addSetCommand(network)
  addDepositsCommand(network)
  addTokenCommand(network)
  addVaultCommands(network)
  addPayoutsCommand(network)
}

function addSetCommand(network: Command): void {
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

function addTokenCommand(network: Command): void {
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

function addPayoutsCommand(network: Command): void {
  network
    .command('payouts <network>')
    .description('allows or stops redemptions of offchain vouchers to wallet addresses')
    .addArgument(new Argument('<switch>').choices(['on', 'off']))
    .action((on: string, state: 'on' | 'off') => run((tools) => setPayouts(tools, on, state === 'on')))
}

async function setPayouts({ pool, config }: Tools, on: string, paysAddresses: boolean): Promise<void> {
  const [key] = config.payoutKeys
  if (paysAddresses && key === undefined) throw new Error('Set PAYOUT_KEY: it pays the addresses.')
  if (!(await setPaysAddresses(pool, on, paysAddresses))) throw new Error(`There is no network ${on}.`)
  if (!paysAddresses || key === undefined) {
    print(`Vouchers can no longer be redeemed to addresses on ${on}.`)
    return
  }
  print(`Vouchers can be redeemed to addresses on ${on}. Keep coin and tokens at ${privateKeyToAddress(key)}.`)
}
