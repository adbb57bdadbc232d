import type { Hex } from 'viem'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool, type Tx } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { divide } from '../base/money.ts'
import { type RawReceipt, toHex } from './block.ts'
import { chainError } from './errors.ts'
import { readFunds, refuseUnfunded } from './funds.ts'
import { lowest, type Rpc } from './rpc.ts'
import {
  type Ending,
  isLane,
  type Lane,
  listFrom,
  listOpen,
  listSenders,
  listVersions,
  lockOpen,
  lockUnsigned,
  markEnded,
  markMissed,
  markSigned,
  openLane,
  refusal,
  saveVersion,
  type Send,
  type SignedSend,
  takeNonce,
  type Version,
} from './send-store.ts'
import { type Signer, signTransaction } from './sign.ts'
import { type Chain, findChain, findFinality } from './store.ts'

export type SendTools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly log: Log
  readonly signers: Signers
}
/** The keys of each lane. The first signs new sends; the others only finish their own. */
export type Signers = Readonly<Record<Lane, readonly Signer[]>>

/** Runs in the commit that finishes a send. */
export type EndSend = (tx: Tx, send: Send, ending: Ending) => Promise<void>

const gasMarginPercent = 120n
// How long to wait before checking the fee of a version, and before broadcasting it again.
const rebroadcastMs = 15_000
const rebroadcastMax = 200
const displacedAfterMs = 60 * 60 * 1_000

type Fees = { readonly maxFee: bigint; readonly maxTip: bigint }
type Market = Fees & { readonly base: bigint }

/**
 * Signs a send, stores its nonce and signature, and only then broadcasts it. After a crash it is either unsigned, or
 * stored and broadcast again unchanged.
 */
export async function signSend(tools: SendTools, rpc: Rpc, chain: Chain, send: Send, end: EndSend): Promise<void> {
  const { pool, clock } = tools
  const { networkId } = send
  const signer = signerOf(tools.signers, send)
  // Another worker may have its key.
  if (signer === undefined) return
  const funds = await readFunds(rpc, signer.address, send)
  await refuseUnfunded(pool, signer.address, send, funds)
  const gas = await estimateGas(tools, rpc, signer, send)
  if (gas === 'too much') return refuseSend(tools, send, end)
  const { maxFee, maxTip } = await readMarket(rpc)
  if (!(await isLane(pool, networkId, signer.address)))
    await openLane(pool, networkId, signer.address, await countOf(rpc, signer.address, 'latest'))
  const version = await inTransaction(pool, async (tx) => {
    if (!(await lockUnsigned(tx, send.id))) return undefined
    const nonce = await takeNonce(tx, networkId, signer.address)
    // Again under the lock of the lane: another worker may have spent it since.
    await refuseUnfunded(tx, signer.address, send, funds)
    await markSigned(tx, send.id, signer.address, nonce, gas)
    return signVersion(tx, signer, chain, { ...send, nonce, gas }, { maxFee, maxTip }, clock())
  })
  if (version !== undefined) await broadcast(tools, rpc, chain, version)
}

function signerOf(signers: Signers, { lane, from }: Send): Signer | undefined {
  return from === null ? signers[lane][0] : signers[lane].find(({ address }) => address === from)
}

/**
 * The gas limit by the higher of two estimates: a limit that is too low would make the transaction revert. A redemption, which has a
 * maximum, is refused if its recipient refuses it or if it needs more gas than was paid for. Any other send that would revert is tried
 * again later.
 */
async function estimateGas(
  { log }: SendTools,
  rpc: Rpc,
  { address: from }: Signer,
  { id, to, data, value, gasMax }: Send,
): Promise<bigint | 'too much'> {
  const estimates = await rpc.estimateTwo({ from, to, data, value: toHex(value) })
  const numbers = estimates.filter((estimate) => estimate !== 'reverts')
  if (numbers.length === 0 && gasMax !== null) return 'too much'
  if (numbers.length < estimates.length) throw chainError('CHAIN_REVERTS', { send: id })
  const [low, high] = [lowest(numbers), numbers.reduce(highest)]
  if (high > 2n * low)
    log.error({ send: id, low: String(low), high: String(high) }, 'two nodes estimate gas differently')
  const limit = (high * gasMarginPercent) / 100n
  if (gasMax === null || limit <= gasMax) return limit
  return high > gasMax ? 'too much' : gasMax
}

/** Ends a send that was never signed. */
async function refuseSend({ pool, clock, log }: SendTools, send: Send, end: EndSend): Promise<void> {
  log.error(
    { send: send.id, reference: send.reference },
    'a redemption was not sent: it would revert or needs too much gas',
  )
  await inTransaction(pool, async (tx) => {
    if (!(await lockUnsigned(tx, send.id))) return
    await markEnded(tx, send.id, refusal, clock())
    await end(tx, send, refusal)
  })
}

async function signVersion(
  tx: Tx,
  signer: Signer,
  { chainId }: Chain,
  { id, to, data, value, nonce, gas }: Pick<SignedSend, 'id' | 'to' | 'data' | 'value' | 'nonce' | 'gas'>,
  { maxFee, maxTip }: Fees,
  signedAt: Date,
): Promise<Version> {
  const signed = await signTransaction(signer, {
    type: 'eip1559',
    chainId: Number(chainId),
    nonce: Number(nonce),
    gas,
    to: to as Hex,
    data: data as Hex,
    value,
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: maxTip,
  })
  const version = { ...signed, maxFee, maxTip, signedAt }
  await saveVersion(tx, id, version)
  return version
}

/**
 * Errors are only logged: a rejection does not prove that the transaction did not arrive. Only a receipt or a used
 * nonce does.
 */
async function broadcast({ log }: SendTools, rpc: Rpc, { abbreviation }: Chain, { raw }: Version): Promise<void> {
  const errors = await rpc.broadcast('eth_sendRawTransaction', [raw])
  const isKnown = (text: string): boolean => text === '' || /\bknown|nonce too low|already/i.test(text)
  if (!errors.some(isKnown)) log.error({ network: abbreviation, errors }, 'no node accepts the transaction')
}

/**
 * Finishes the signed sends of a network: broadcasts them again, raises fees that became too low, and records final
 * results.
 */
export function createSendMonitor(tools: SendTools, network: string, rpc: Rpc, end: EndSend): () => Promise<boolean> {
  const broadcastMs = new Map<string, number>()
  let lastFinal = -1n
  return async () => {
    const { pool } = tools
    const chain = await findChain(pool, network)
    const finality = chain && (await findFinality(pool, chain.id))
    if (chain === undefined || finality === undefined) return false
    const failures: unknown[] = []
    // A send that cannot be finished must not keep the others from it.
    const attempt = (work: Promise<void>): Promise<unknown> => work.catch((error: unknown) => failures.push(error))
    for (const sender of await listSenders(pool, chain.id)) {
      const waiting = await listFrom(pool, chain.id, sender, await countOf(rpc, sender, 'latest'), rebroadcastMax)
      for (const send of waiting) await attempt(rebroadcast(chain, send))
      // No send can finish before a new block is final.
      if (finality.number === lastFinal) continue
      const mined = await countOf(rpc, sender, toHex(finality.number))
      for (const send of await listOpen(pool, chain.id, sender, mined))
        await attempt(conclude(tools, rpc, send, finality.number, end))
    }
    forgetBroadcasts()
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} sends failed.`)
    lastFinal = finality.number
    return false
  }

  function forgetBroadcasts(): void {
    const beforeMs = tools.clock().getTime() - rebroadcastMs
    for (const [hash, atMs] of broadcastMs) if (atMs < beforeMs) broadcastMs.delete(hash)
  }

  async function rebroadcast(chain: Chain, send: SignedSend): Promise<void> {
    const { pool, clock } = tools
    const [newest] = await listVersions(pool, send.id)
    const nowMs = clock().getTime()
    if (nowMs - (broadcastMs.get(newest.hash) ?? 0) < rebroadcastMs) return
    const raisedVersion =
      nowMs - newest.signedAt.getTime() < rebroadcastMs ? undefined : await raiseFees(chain, send, newest)
    const version = raisedVersion ?? newest
    broadcastMs.set(version.hash, nowMs)
    await broadcast(tools, rpc, chain, version)
  }

  /** Signs a new version with the same nonce, if the newest one pays too little for the current fees. */
  async function raiseFees(chain: Chain, send: SignedSend, newest: Version): Promise<Version | undefined> {
    const { pool, clock, signers } = tools
    const market = await readMarket(rpc)
    const signer = signers[send.lane].find(({ address }) => address === send.sender)
    // Miners ignore a transaction with a low tip, even if its maximum fee is high enough.
    const paysEnough = newest.maxFee >= market.base + market.maxTip && newest.maxTip >= market.maxTip
    if (signer === undefined || send.endedAt !== null || paysEnough) return undefined
    const fees = {
      maxFee: highest(market.maxFee, raised(newest.maxFee)),
      maxTip: highest(market.maxTip, raised(newest.maxTip)),
    }
    return inTransaction(pool, async (tx) => {
      if ((await lockOpen(tx, send.id)) === undefined) return undefined
      // Another worker may have signed a new version since.
      const [known] = await listVersions(tx, send.id)
      if (known.hash !== newest.hash) return known
      return signVersion(tx, signer, chain, send, fees, clock())
    })
  }
}

/**
 * Finishes a send whose nonce is used in a final block: by one of its versions, on which both nodes agree, or by
 * another transaction.
 */
async function conclude(tools: SendTools, rpc: Rpc, send: SignedSend, final: bigint, end: EndSend): Promise<void> {
  const { pool, clock, log } = tools
  const versions = await listVersions(pool, send.id)
  let ending: Ending | undefined
  for (const { hash } of versions) {
    const receipts = await rpc.callTwo<RawReceipt | null>('eth_getTransactionReceipt', [hash])
    const [first] = receipts
    if (receipts.every((receipt) => receipt === null) || first === undefined) continue
    const areSame = receipts.every((receipt) => factsOf(receipt) === factsOf(first))
    if (!areSame || first === null || BigInt(first.blockNumber) > final)
      throw chainError('CHAIN_DISAGREES', { txHash: hash })
    const fee = BigInt(first.gasUsed) * BigInt(first.effectiveGasPrice)
    const outcome = first.status === '0x1' ? 'done' : 'reverted'
    ending = { outcome, txHash: hash, blockNumber: BigInt(first.blockNumber), fee, logs: first.logs }
  }
  // A node that is behind has no receipt yet. Wait from now on, regardless of when the send was signed.
  const at = clock()
  if (ending === undefined && at.getTime() - (await markMissed(pool, send.id, at)).getTime() < displacedAfterMs) return
  const found: Ending = ending ?? { outcome: 'displaced', txHash: null, blockNumber: null, fee: 0n, logs: [] }
  if (found.outcome !== 'done')
    log.error({ send: send.id, reference: send.reference, outcome: found.outcome }, 'a sent transaction failed')
  await inTransaction(pool, async (tx) => {
    if ((await lockOpen(tx, send.id)) === undefined) return
    await markEnded(tx, send.id, found, clock())
    await end(tx, send, found)
  })
}

function factsOf(receipt: RawReceipt | null): string {
  return receipt === null
    ? ''
    : [
        ...[receipt.blockHash, receipt.status, receipt.gasUsed, receipt.effectiveGasPrice],
        // They prove that a token was paid.
        ...receipt.logs.map(({ address, topics, data }) => [address, ...topics, data].join()),
      ].join(' ')
}

/** The current fees, the lower of two nodes, so that one bad node cannot make us overpay. */
async function readMarket(rpc: Rpc): Promise<Market> {
  const blocks = await rpc.callTwo<{ baseFeePerGas?: string }>('eth_getBlockByNumber', ['latest', false])
  const tips = await rpc.callTwo<string>('eth_maxPriorityFeePerGas', [])
  const bases = blocks.map(({ baseFeePerGas }) => {
    // A base fee of zero is valid; a missing one means that the network does not support EIP-1559.
    if (baseFeePerGas === undefined) throw chainError('CHAIN_DISAGREES', { said: 'baseFeePerGas' })
    return BigInt(baseFeePerGas)
  })
  const base = lowest(bases)
  const maxTip = lowest(tips.map(BigInt))
  return { base, maxTip, maxFee: 2n * base + maxTip }
}

/** The transaction count of a sender, the lower of two nodes. */
async function countOf(rpc: Rpc, sender: string, at: string): Promise<bigint> {
  return lowest((await rpc.callTwo<string>('eth_getTransactionCount', [sender, at])).map(BigInt))
}

/** Nodes replace a pending transaction only if the new one pays at least an eighth more. */
function raised(fee: bigint): bigint {
  return divide(fee * 9n, 8n, 'up') + 1n
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
