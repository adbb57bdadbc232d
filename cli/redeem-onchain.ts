// Redeems an onchain voucher from its code alone. Needs no server, no database and no setting of Scrip, so that it works for
// holders when the shop is gone.
import type { Command } from 'commander'
import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  type Client,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  InsufficientFundsError,
  parseEventLogs,
  type PublicActions,
  publicActions,
  type Transport,
  WaitForTransactionReceiptTimeoutError,
  type WalletActions,
  zeroAddress,
  zeroHash,
} from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { type Currency, formatMoney, parseMoney } from '../server/src/base/money.ts'
import { voucherVaultAbi as abi } from '../server/src/chain/voucher-vault.gen.ts'
import { claimKeyOf, codeHashOf, type Redemption, signRedemption } from '../server/src/vouchers/code/claim.ts'
import { readWalletAddress } from '../server/src/vouchers/voucher/wallet-address.ts'
import { findInVault, type FoundVoucher } from './find-in-vault.ts'
import { readKeyFile, readSecretLine } from './read-secret.ts'
import { print } from './tools.ts'

type RedeemOptions = { rpc: string; vault: string; to: string; gasKeyFile: string; amount: string; creator?: string }

export type HolderClient = Client<Transport, Chain, Account> &
  PublicActions<Transport, Chain, Account> &
  WalletActions<Chain, Account>

const deadlineSeconds = 10 * 60
const receiptMs = 5 * 60 * 1_000

export function addRedeemOnchainCommand(voucher: Command): void {
  voucher
    .command('redeem-onchain')
    .description('pays an onchain voucher to an address, from its code alone; needs no server and no settings')
    .requiredOption('--rpc <url>', 'a node of the network of the voucher')
    .requiredOption('--vault <address>', 'the vault, as printed beside the code')
    .requiredOption('--to <address>', 'the recipient')
    .requiredOption(
      '--gas-key-file <file>',
      'a file with the private key that pays the gas; not the key of the voucher',
    )
    .option('--amount <amount>', 'in major units', 'all')
    .option('--creator <address>', 'the address that created the voucher; searched for in the network if left out')
    .addHelpText('after', '\nThe code is read from standard input, or asked for. It is never an argument.')
    .action((options: RedeemOptions) =>
      redeemOnchain(options).catch((error: unknown) => {
        throw explain(error)
      }),
    )
}

async function redeemOnchain(options: RedeemOptions): Promise<void> {
  const vault = readAddress(options.vault, '--vault')
  const recipient = readAddress(options.to, '--to')
  const creator = options.creator === undefined ? undefined : readAddress(options.creator, '--creator')
  const client = await connect(options.rpc, readKeyFile(options.gasKeyFile))
  const currency = await readCurrency(client, vault)
  const code = await readSecretLine('Voucher code: ')
  const claimKey = await claimKeyOf(code, { chainId: client.chain.id, vault })
  const found = await findInVault(client, vault, privateKeyToAddress(claimKey), creator)
  if (found === undefined)
    throw new Error(
      `This vault on chain ${client.chain.id} has no voucher with this code. Check the code, the vault and the network.`,
    )
  await refuseVoucher(client, vault, found)
  const amount = readAmount(options.amount, found.balance, currency)
  await pay(client, { vault, recipient, claimKey, amount, currency, found })
}

function readAddress(text: string, option: string): Address {
  try {
    return getAddress(readWalletAddress(text))
  } catch {
    throw new Error(`${option} is not an address. Check it for missing or mistyped characters.`)
  }
}

async function connect(url: string, gasKey: Hex): Promise<HolderClient> {
  const transport = http(url, { retryCount: 1 })
  const id = await createPublicClient({ transport }).getChainId()
  const nativeCurrency = { name: 'coin', symbol: 'coin', decimals: 18 }
  const chain = defineChain({ id, name: String(id), nativeCurrency, rpcUrls: { default: { http: [url] } } })
  const account = privateKeyToAccount(gasKey)
  return createWalletClient({ account, chain, transport }).extend(publicActions)
}

/** What the vault holds. Fails if there is no vault, which mostly means that the node is of another network. */
async function readCurrency(client: HolderClient, vault: Address): Promise<Currency> {
  if ((await client.getCode({ address: vault })) === undefined)
    throw new Error(`There is no contract at ${vault} on chain ${client.chain.id}. Check the network and the vault.`)
  const asset = await client.readContract({ address: vault, abi, functionName: 'asset' }).catch((error: unknown) => {
    throw new Error(`The contract at ${vault} on chain ${client.chain.id} is not a voucher vault.`, { cause: error })
  })
  if (asset === zeroAddress) return { code: 'coin', decimals: 18 }
  const token = { address: asset, abi: erc20Abi } as const
  const decimals = await client.readContract({ ...token, functionName: 'decimals' })
  const symbol = await client.readContract({ ...token, functionName: 'symbol' }).catch(() => 'tokens')
  // The token chooses its symbol, and could hide escape sequences for a terminal in it.
  return { code: symbol.replaceAll(/[^\w.-]/g, ''), decimals }
}

async function refuseVoucher(client: HolderClient, vault: Address, voucher: FoundVoucher): Promise<void> {
  if (voucher.value === 0n) throw new Error('This voucher was closed. Its balance went back to its issuer.')
  if (voucher.balance === 0n) throw new Error('This voucher is empty.')
  const { timestamp } = await client.getBlock()
  if (BigInt(voucher.expiry) < timestamp)
    throw new Error(`This voucher expired on ${new Date(voucher.expiry * 1_000).toISOString()}.`)
  if (voucher.isLocked)
    throw new Error('This voucher has a PIN. Only Scrip, which checks the PIN, can redeem it: use the shop or the API.')
  if (await client.readContract({ address: vault, abi, functionName: 'isPaused' }))
    throw new Error('The owner of the vault has paused it. Try again later.')
}

function readAmount(text: string, balance: bigint, currency: Currency): bigint {
  const amount = text === 'all' ? balance : parseMoney(text, currency).minor
  if (amount === 0n) throw new Error('The amount must be greater than zero.')
  if (amount > balance) throw new Error(`The voucher holds ${show(balance, currency)}, which is less.`)
  return amount
}

type Payment = {
  readonly vault: Address
  readonly recipient: Address
  readonly claimKey: Hex
  readonly amount: bigint
  readonly currency: Currency
  readonly found: FoundVoucher
}

async function pay(client: HolderClient, payment: Payment): Promise<void> {
  const { vault, recipient, claimKey, amount, currency, found } = payment
  const redemption: Redemption = {
    codeHash: codeHashOf(found.creator, privateKeyToAddress(claimKey)),
    recipient,
    amount,
    fee: 0n,
    feeRecipient: zeroAddress,
    nonce: found.nonce,
    deadline: await deadlineOf(client),
    ref: zeroHash,
  }
  const signature = await signRedemption(claimKey, { chainId: client.chain.id, vault }, redemption)
  const call = { address: vault, abi, functionName: 'redeem', args: [redemption, signature] } as const
  const { request } = await client.simulateContract({ ...call, account: client.account })
  const hash = await client.writeContract(request)
  print(`Sent in transaction ${hash}`)
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: receiptMs })
  const [event] = parseEventLogs({ abi, eventName: 'VoucherRedeemed', logs: receipt.logs })
  if (receipt.status !== 'success' || event === undefined)
    throw new Error('The network reverted the transaction. The voucher is unchanged, and the gas is spent.')
  print(`Paid ${show(amount, currency)} to ${recipient}. Left on the voucher: ${show(event.args.balance, currency)}`)
}

/** A network without traffic has an old newest block. */
async function deadlineOf(client: HolderClient): Promise<number> {
  const { timestamp } = await client.getBlock()
  return Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + deadlineSeconds
}

function show(minor: bigint, currency: Currency): string {
  return `${formatMoney({ minor, currency })} ${currency.code}`
}

/** Messages of viem contain the URL of the node, which may have a key, and the whole request. */
function explain(error: unknown): unknown {
  if (!(error instanceof BaseError)) return error
  if (error instanceof WaitForTransactionReceiptTimeoutError)
    return new Error('The transaction is not mined yet. Look it up by its hash before you try again.')
  if (error.walk((cause) => cause instanceof InsufficientFundsError) !== null)
    return new Error('The gas key has too little coin on this network. Send it some for gas.')
  const revert = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  const name = revert instanceof ContractFunctionRevertedError ? revert.data?.errorName : undefined
  if (name !== undefined) return new Error(`The vault refuses the redemption: ${name}.`)
  return new Error(`The network cannot be used: ${error.shortMessage.replaceAll(/\s+/g, ' ')}`)
}
