import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { findMerchantTerms } from '../../catalogue/charge/store.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { findPrice } from '../../catalogue/exchange/price.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { HoldAct, Journal } from '../../ledger/journal.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { voucherError } from '../code/errors.ts'
import { refuseForStore } from '../redeem/destination.ts'
import { receivedFor } from '../redeem/offer.ts'
import { type Redeemed, type RedeemTools, toRedeemed } from '../redeem/redeem.ts'
import { redemptionJournal } from '../redeem/redemption-journal.ts'
import { findRedemption, type RedemptionRow } from '../voucher/history-store.ts'
import { lockVoucher, type Voucher } from '../voucher/store.ts'
import { holdError } from './errors.ts'
import { holdCaptured } from './events.ts'
import { explainRefusal, refuseEnded, releaseActs, type Reserved, reservedBy } from './reserved.ts'
import { feeOfCapture } from './split-fee.ts'
import { captureDocument, findHold, lockHold, saveHold, type VoucherHold } from './store.ts'

export type CaptureInput = {
  readonly id: string
  /** Major units as the client wrote them. Undefined: the rest. */
  readonly amount: string | undefined
  /** The currency to credit, if not the voucher's. */
  readonly to: string | undefined
  /** Ends the hold: what is not captured is released. */
  readonly isFinal: boolean
  readonly reference: string
  readonly metadata: string
}

export type Captured = { readonly redeemed: Redeemed; readonly hold: VoucherHold }

/** What a capture needs besides the hold. */
type Terms = {
  readonly identity: Identity
  readonly currency: CatalogueCurrency
  readonly to: CatalogueCurrency
  readonly toBookId: number
}

/** Redeems the whole or a part of what a hold reserves. Of concurrent captures, one at a time sees what is left. */
export async function captureHold(tools: RedeemTools, caller: MerchantCaller, input: CaptureInput): Promise<Captured> {
  const { pool } = tools
  const { environmentId, mode } = caller
  const found = await withEnvironment(pool, environmentId, (tx) => findHold(tx, environmentId, input.id))
  if (found === undefined) throw holdError('VOUCHER_HOLD_NOT_FOUND')
  const currency = await findCurrency(pool, found.currency, 'any')
  const identity = {
    key: referenceKey(environmentId, input.reference),
    requestFingerprint: fingerprint(input, currency),
  }
  try {
    return await once(tools, identity, {
      retell: ({ journalId }) => readCaptured(tools, caller, input, journalId),
      prepare: async () => {
        const to = await findTo(tools, input, currency)
        const toBookId = to.code === currency.code ? found.bookId : await ensureBook(pool, mode, to.code)
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            return lockHold(tx, environmentId, input.id)
          },
          post: (tx, hold) => capture(tools, tx, caller, input, hold ?? found, { identity, currency, to, toBookId }),
        }
      },
    })
  } catch (error) {
    throw explainRefusal(toApiError(error, 'referenceId'))
  }
}

/** So that 10 and 10.00 are the same request. */
function fingerprint({ id, amount, to = '', isFinal, metadata }: CaptureInput, currency: CatalogueCurrency): string {
  const wanted = amount === undefined ? '' : String(parseMoney(amount, currency).minor)
  return JSON.stringify(['voucher_hold.capture', id, wanted, to, isFinal, metadata])
}

async function findTo(
  { pool }: RedeemTools,
  { to }: CaptureInput,
  currency: CatalogueCurrency,
): Promise<CatalogueCurrency> {
  return to === undefined ? currency : findCurrency(pool, to, 'offered', 'toCurrencyAbbreviation')
}

async function capture(
  tools: RedeemTools,
  tx: Tx,
  caller: MerchantCaller,
  input: CaptureInput,
  hold: VoucherHold,
  terms: Terms,
): Promise<Captured> {
  const at = tools.clock()
  refuseEnded(hold, at)
  const part = partOf(hold, input, terms.currency)
  const charge = feeOfCapture(hold, part)
  const captured = hold.captured + part
  const isOver = input.isFinal || captured === hold.amount
  const next: VoucherHold = {
    ...hold,
    captured,
    capturedCharge: hold.capturedCharge + charge,
    sequence: hold.sequence + 1,
    ...(isOver && { state: 'CAPTURED', endedAt: at }),
  }
  // Before its account, as every change of a voucher's lifecycle.
  const voucher = await lockVoucher(tx, hold.voucherId, at)
  if (voucher === undefined) throw new Error('A held voucher is missing.')
  refuseForStore(voucher, { to: input.to })
  const { journal, row } = await captureJournal(tools, tx, caller, input, voucher, { hold, next, part, charge }, terms)
  await saveHold(tx, next)
  await postNew(tx, journal, tools)
  return { redeemed: await describe(tx, tools, caller, input, next, row, false), hold: next }
}

/** The amount to capture. A part has the minimum of its currency; the rest may be lower. */
function partOf(hold: VoucherHold, { amount }: CaptureInput, currency: CatalogueCurrency): bigint {
  const rest = hold.amount - hold.captured
  if (amount === undefined) return rest
  const { minor } = parseAmount(amount, currency)
  if (minor > rest) {
    const maxAmount = exactNumber(formatMoney({ minor: rest, currency }))
    throw holdError('VOUCHER_HOLD_TOO_SMALL', { param: 'amount', maxAmount })
  }
  if (minor < rest) refuseDust({ minor, currency }, currency)
  return minor
}

type Step = { readonly hold: VoucherHold; readonly next: VoucherHold; readonly part: bigint; readonly charge: bigint }

/** The journal of a redemption at the rate of now, which settles its part of the hold. */
async function captureJournal(
  { clock, newId, keyRing }: RedeemTools,
  tx: Tx,
  caller: MerchantCaller,
  input: CaptureInput,
  voucher: Voucher,
  { hold, next, part, charge }: Step,
  { identity, currency, to, toBookId }: Terms,
): Promise<{ journal: Journal; row: RedemptionRow }> {
  const price = await findPrice(tx, currency.code, to.code, clock)
  const toAmount = receivedFor({ currency, to, rate: price.rate }, part)
  if (toAmount === 0n) throw voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' })
  const { chargedTo, codeTail, environmentId, id: holdId } = hold
  const offer = {
    amount: part,
    charge,
    chargeType: charge === 0n ? 'NONE' : hold.chargeType,
    chargedTo,
    toAmount,
  } as const
  const agreed = { to, price, offers: [offer], request: 'quoted' } as const
  const id = newId()
  const parts = { caller, voucher, currency, toBookId, agreed, input, codeTail, sending: undefined }
  const { journal, rows } = redemptionJournal({ id, ...identity }, { ...parts, receiptKey: keyRing.current.id })
  const [row] = rows
  if (row === undefined) throw new Error('A capture has no offer.')
  const [redemption] = journal.alternatives
  const captured = { environmentId, id, holdId, amount: part, charge, createdAt: row.createdAt }
  const posting = {
    ...redemption,
    holds: actsOf(reservedBy(hold, voucher), reservedBy(next, voucher), next),
    documents: [...(redemption.documents ?? []), captureDocument(captured)],
    events: [
      ...(redemption.events ?? []),
      holdCaptured(next, currency, { transactionId: id, reference: input.reference, part }),
    ],
  }
  return { journal: { ...journal, alternatives: [posting] }, row }
}

/** Settles the difference of what was and what is still reserved, and releases the rest of a hold that is over. */
function actsOf(before: readonly Reserved[], after: readonly Reserved[], { state }: VoucherHold): HoldAct[] {
  const settled = before.flatMap(({ holdId, account, amount }): HoldAct[] => {
    const taken = amount - (after.find((each) => each.holdId === holdId)?.amount ?? 0n)
    return taken === 0n ? [] : [{ act: 'settle', holdId, account, amount: taken }]
  })
  return state === 'OPEN' ? settled : [...settled, ...releaseActs(after)]
}

/** The result of an earlier capture, with the hold as it is now. */
async function readCaptured(
  tools: RedeemTools,
  caller: MerchantCaller,
  input: CaptureInput,
  id: string,
): Promise<Captured> {
  const { environmentId } = caller
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const hold = await findHold(tx, environmentId, input.id)
    const row = hold && (await findRedemption(tx, hold.voucherId, id))
    if (row === undefined || hold === undefined) throw new Error('A posted capture is missing.')
    return { redeemed: await describe(tx, tools, caller, input, hold, row, true), hold }
  })
}

async function describe(
  tx: Tx,
  { clock }: RedeemTools,
  caller: MerchantCaller,
  { reference }: CaptureInput,
  { voucherId, currency }: VoucherHold,
  row: RedemptionRow,
  replayed: boolean,
): Promise<Redeemed> {
  const { environmentId } = caller
  const catalogue = await readCurrencies(tx)
  const merchant = (await findMerchantTerms(tx, [environmentId], clock())).get(environmentId)
  if (merchant === undefined) throw new Error('An API key belongs to a missing environment.')
  return toRedeemed(caller, { catalogue, merchant }, { id: voucherId, currency }, reference, row, replayed)
}
