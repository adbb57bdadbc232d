import type { Hex } from 'viem'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool, type Tx } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { divide } from '../base/money.ts'
import { type RawReceipt, toHex } from './block.ts'
import { chainError } from './errors.ts'
import { lowest, type Rpc } from './rpc.ts'
import {
  type Ending,
  isLane,
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
  /** The first sends what is new; the others see through what they have begun. */
  readonly signers: readonly Signer[]
}
/** What follows when one has ended for good, in the same commit. */
export type EndSend = (tx: Tx, send: SignedSend, ending: Ending) => Promise<void>

const gasMarginPercent = 120n
// How long one version may wait before the price is looked at, and before the same bytes are told again.
const patienceMs = 15_000
const toldAtOnce = 200
const displacedAfterMs = 60 * 60 * 1_000

type Fees = { readonly maxFee: bigint; readonly maxTip: bigint }
type Market = Fees & { readonly base: bigint }

/**
 * Gives a send its nonce and its signature and keeps both, and only then tells anybody. Whoever dies on the way leaves it unsigned,
 * or signed and kept: then the same bytes are told again.
 */
export async function signSend(tools: SendTools, signer: Signer, rpc: Rpc, chain: Chain, send: Send): Promise<void> {
  const { pool, clock } = tools
  const { networkId, to, data, value } = send
  const call = { from: signer.address, to, data, value: toHex(value) }
  const gas = (BigInt(await rpc.ask<string>('eth_estimateGas', [call])) * gasMarginPercent) / 100n
  const { maxFee, maxTip } = await readMarket(rpc)
  if (!(await isLane(pool, networkId, signer.address)))
    await openLane(pool, networkId, signer.address, await countOf(rpc, signer.address, 'latest'))
  const version = await inTransaction(pool, async (tx) => {
    if (!(await lockUnsigned(tx, send.id))) return undefined
    const nonce = await takeNonce(tx, networkId, signer.address)
    await markSigned(tx, send.id, signer.address, nonce, gas)
    return signVersion(tx, signer, chain, { ...send, nonce, gas }, { maxFee, maxTip }, clock())
  })
  if (version !== undefined) await tell(tools, rpc, chain, version)
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
    ...{
      type: 'eip1559',
      chainId: Number(chainId),
      nonce: Number(nonce),
      gas,
      to: to as Hex,
      data: data as Hex,
      value,
    },
    ...{ maxFeePerGas: maxFee, maxPriorityFeePerGas: maxTip },
  })
  const version = { ...signed, maxFee, maxTip, signedAt }
  await saveVersion(tx, id, version)
  return version
}

/** What a node says against it is no proof that it has not arrived. Only a receipt, or its nonce used by another, is. */
async function tell({ log }: SendTools, rpc: Rpc, { abbreviation }: Chain, { raw }: Version): Promise<void> {
  const said = await rpc.tellAll('eth_sendRawTransaction', [raw])
  const isKnown = (text: string): boolean => text === '' || /\bknown|nonce too low|already/i.test(text)
  if (!said.some(isKnown)) log.error({ network: abbreviation, said }, 'no node takes a transaction of ours')
}

/** Sees through what was signed for a network: tells it again, pays more where gas became dearer, and ends what is final. */
export function createSeeThrough(tools: SendTools, network: string, rpc: Rpc, end: EndSend): () => Promise<boolean> {
  const toldMs = new Map<string, number>()
  let lastFinal = -1n
  return async () => {
    const { pool } = tools
    const chain = await findChain(pool, network)
    const finality = chain && (await findFinality(pool, chain.id))
    if (chain === undefined || finality === undefined) return false
    for (const sender of await listSenders(pool, chain.id)) {
      const waiting = await listFrom(pool, chain.id, sender, await countOf(rpc, sender, 'latest'), toldAtOnce)
      for (const send of waiting) await pushOn(chain, send)
      if (waiting.length === 0) toldMs.clear()
      // Nothing ends before more is final.
      if (finality.number === lastFinal) continue
      const mined = await countOf(rpc, sender, toHex(finality.number))
      for (const send of await listOpen(pool, chain.id, sender, mined))
        await conclude(tools, rpc, send, finality.number, end)
    }
    lastFinal = finality.number
    return false
  }

  async function pushOn(chain: Chain, send: SignedSend): Promise<void> {
    const { pool, clock } = tools
    const [newest] = await listVersions(pool, send.id)
    const nowMs = clock().getTime()
    if (nowMs - (toldMs.get(newest.hash) ?? 0) < patienceMs) return
    const dearer = nowMs - newest.signedAt.getTime() < patienceMs ? undefined : await payMore(chain, send, newest)
    const version = dearer ?? newest
    toldMs.set(version.hash, nowMs)
    await tell(tools, rpc, chain, version)
  }

  /** A new version at the same nonce, if nobody would mine the newest one at the price of the moment. */
  async function payMore(chain: Chain, send: SignedSend, newest: Version): Promise<Version | undefined> {
    const { pool, clock, signers } = tools
    const market = await readMarket(rpc)
    const signer = signers.find(({ address }) => address === send.sender)
    // Also of what a block's price leaves room for, nobody mines one without the tip that he wants.
    const isEnough = newest.maxFee >= market.base + market.maxTip && newest.maxTip >= market.maxTip
    if (signer === undefined || send.endedAt !== null || isEnough) return undefined
    const fees = {
      maxFee: highest(market.maxFee, raised(newest.maxFee)),
      maxTip: highest(market.maxTip, raised(newest.maxTip)),
    }
    return inTransaction(pool, async (tx) => {
      if ((await lockOpen(tx, send.id)) === undefined) return undefined
      // Somebody else has done it meanwhile.
      const [known] = await listVersions(tx, send.id)
      if (known.hash !== newest.hash) return known
      return signVersion(tx, signer, chain, send, fees, clock())
    })
  }
}

/** Its nonce is used in a final block: by one of its versions, on which both nodes agree, or by somebody else's transaction. */
async function conclude(tools: SendTools, rpc: Rpc, send: SignedSend, final: bigint, end: EndSend): Promise<void> {
  const { pool, clock, log } = tools
  const versions = await listVersions(pool, send.id)
  let ending: Ending | undefined
  for (const { hash } of versions) {
    const receipts = await rpc.askTwo<RawReceipt | null>('eth_getTransactionReceipt', [hash])
    const [first] = receipts
    if (receipts.every((told) => told === null) || first === undefined) continue
    const areSame = receipts.every((told) => factsOf(told) === factsOf(first))
    if (!areSame || first === null || BigInt(first.blockNumber) > final)
      throw chainError('CHAIN_DISAGREES', { txHash: hash })
    const fee = BigInt(first.gasUsed) * BigInt(first.effectiveGasPrice)
    const outcome = first.status === '0x1' ? 'done' : 'reverted'
    ending = { outcome, txHash: hash, blockNumber: BigInt(first.blockNumber), fee }
  }
  // A node that lags has no receipt yet: it is given time, from now on, however long ago it was signed.
  const at = clock()
  if (ending === undefined && at.getTime() - (await markMissed(pool, send.id, at)).getTime() < displacedAfterMs) return
  const found: Ending = ending ?? { outcome: 'displaced', txHash: null, blockNumber: null, fee: 0n }
  if (found.outcome !== 'done')
    log.error(
      { send: send.id, reference: send.reference, outcome: found.outcome },
      'a transaction of ours did not work',
    )
  await inTransaction(pool, async (tx) => {
    if ((await lockOpen(tx, send.id)) === undefined) return
    await markEnded(tx, send.id, found, clock())
    await end(tx, send, found)
  })
}

function factsOf(receipt: RawReceipt | null): string {
  return receipt === null
    ? ''
    : [receipt.blockHash, receipt.status, receipt.gasUsed, receipt.effectiveGasPrice].join(' ')
}

/** The lower of what two nodes say: one that names a price of its own empties no purse. */
async function readMarket(rpc: Rpc): Promise<Market> {
  const blocks = await rpc.askTwo<{ baseFeePerGas?: string }>('eth_getBlockByNumber', ['latest', false])
  const tips = await rpc.askTwo<string>('eth_maxPriorityFeePerGas', [])
  const bases = blocks.map(({ baseFeePerGas }) => {
    // Zero is a price; none is a network whose transactions are priced in another way.
    if (baseFeePerGas === undefined) throw chainError('CHAIN_DISAGREES', { said: 'baseFeePerGas' })
    return BigInt(baseFeePerGas)
  })
  const [base, maxTip] = [lowest(bases), lowest(tips.map(BigInt))]
  return { base, maxTip, maxFee: 2n * base + maxTip }
}

/** How many transactions of a sender are in the chain, of what two nodes say the lower. */
async function countOf(rpc: Rpc, sender: string, at: string): Promise<bigint> {
  return lowest((await rpc.askTwo<string>('eth_getTransactionCount', [sender, at])).map(BigInt))
}

/** Nodes take a version in place of another if it pays an eighth more. */
function raised(fee: bigint): bigint {
  return divide(fee * 9n, 8n, 'up') + 1n
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
