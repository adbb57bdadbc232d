import { findCurrency } from '../currency/store.ts'
import { findEnvironments, findShops } from '../merchant/store.ts'
import type { ReadCode } from '../voucher/code.ts'
import { knownVoucher } from '../voucher/facts.ts'
import { checkLock } from '../voucher/pin.ts'
import { readHistory } from '../voucher/history-store.ts'
import { findVouchers } from '../voucher/store.ts'
import type { RedeemTools } from '../voucher/redeem.ts'

export type HolderTools = Pick<RedeemTools, 'pool' | 'clock' | 'keyRing' | 'checkPin'>

export type HolderAsk = {
  readonly code: ReadCode
  /** Of whose system the code came from, where it is not one of ours. */
  readonly merchantCode?: string | undefined
  readonly lockPin?: string | undefined
}

export type Held = Awaited<ReturnType<typeof lookUpVoucher>>

const shownMax = 100
// Whoever holds a voucher has a code and nothing else. What is wrong with it is told to who issued it.
const holder = { hasSecret: false }

/** What whoever holds a voucher may see of it: all, for its code and its pin. */
export async function lookUpVoucher(tools: HolderTools, ask: HolderAsk) {
  const { pool } = tools
  const hashes = await hashesFor(tools, ask)
  const found = await findVouchers(pool, hashes, tools.clock())
  const wanted = hashes.flatMap((each) => each.map((hash) => found.get(hash))).find((one) => one !== undefined)
  const voucher = knownVoucher({ voucher: wanted, code: ask.code }, holder)
  await checkLock(tools.checkPin, holder, voucher, ask)
  const [currency, shops, history] = await Promise.all([
    findCurrency(pool, voucher.currency, 'any'),
    findShops(pool, [voucher.environmentId, ...voucher.onlyAt]),
    readHistory(pool, voucher.id, shownMax),
  ])
  const issuer = shops.get(voucher.environmentId)
  if (issuer === undefined) throw new Error('A voucher was issued by nobody.')
  // Where it can be used. None: everywhere.
  const places = voucher.onlyAt.map((environmentId) => shops.get(environmentId)?.name ?? '')
  return { voucher, currency, issuer, places, history }
}

/** In both modes, the live one first: a card of another system may have been tried out in test mode too. */
async function hashesFor({ pool, keyRing }: HolderTools, { code, merchantCode }: HolderAsk): Promise<string[][]> {
  if (merchantCode === undefined) return [keyRing.hashesOf(code, '')]
  const modes = await Promise.all(
    (['live', 'test'] as const).map((mode) => findEnvironments(pool, [merchantCode], mode)),
  )
  return modes.map((environments) => keyRing.hashesOf(code, environments.get(merchantCode) ?? ''))
}
