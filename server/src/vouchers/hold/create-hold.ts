import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { Journal, Posting } from '../../ledger/journal.ts'
import { findAnswer } from '../../ledger/store.ts'
import { referenceKey } from '../../payments/transaction/reference.ts'
import { type ReadCode, tailOf } from '../code/code.ts'
import { checkUse } from '../redeem/check-use.ts'
import { currencyOf, type Facts, redeemableVoucher } from '../redeem/facts.ts'
import { type Offer, offersFor, type PricedRequest } from '../redeem/offer.ts'
import { orderDocument } from '../redeem/order-store.ts'
import { normalizeAmount, priceRedemption } from '../redeem/price.ts'
import { type Purchase, printPurchase } from '../redeem/purchase.ts'
import {
  alertOfFee,
  availableAtRefusal,
  explain,
  feeNotCovered,
  maxAttempts,
  type RedeemTools,
} from '../redeem/redeem.ts'
import { orderOf } from '../voucher/rules.ts'
import type { Voucher } from '../voucher/store.ts'
import { holdError } from './errors.ts'
import { holdChanged } from './events.ts'
import { explainRefusal, lifeSecondsMax, reserveActs, reservedBy } from './reserved.ts'
import { findHold, holdDocument, type VoucherHold } from './store.ts'

const secondsByDefault = 15 * 60
// A shopper can create a hold with the public key, and while it is open the issuer cannot replace the voucher.
const publicSecondsMax = 15 * 60

export type HoldInput = {
  readonly code: ReadCode
  /** Major units as the client wrote them, or "max". */
  readonly amount: string
  readonly lockPin?: string | undefined
  readonly reference: string
  readonly seconds?: number | undefined
  readonly purchase?: Purchase | undefined
}

export type CreatedHold = { readonly hold: VoucherHold; readonly replayed: boolean }

/** Reserves an amount of a voucher with its fee, so that captures cannot fail for balance. */
export async function createHold(tools: RedeemTools, caller: MerchantCaller, input: HoldInput): Promise<CreatedHold> {
  const maxSeconds = caller.hasSecret ? lifeSecondsMax : publicSecondsMax
  if ((input.seconds ?? 0) > maxSeconds)
    throw holdError('VOUCHER_HOLD_TOO_LONG', { param: 'expiresInSeconds', maxSeconds })
  const facts = await tools.findFacts({ caller, code: input.code, reference: input.reference })
  const requestFingerprint = fingerprint(facts, input)
  // As for a redemption: a retry returns its hold before any rule is checked.
  const known = findAnswer(facts.record, requestFingerprint)
  if (typeof known === 'object') return readCreated(tools, caller, known.journalId)
  const voucher = redeemableVoucher(facts, caller, known, tools.clock())
  if (voucher.isOnchain) throw holdError('VOUCHER_HOLD_ONCHAIN')
  // Not again at captures: the hold is for the order that was checked.
  await checkUse(tools, caller, facts, voucher, input)
  const { request } = await priceRedemption(tools, facts, voucher, input)
  return post(tools, caller, facts, voucher, input, requestFingerprint, request)
}

/** Never contains the PIN: a retry must not reveal whether a PIN is right. */
function fingerprint(facts: Facts, { amount, seconds, purchase }: HoldInput): string {
  const wanted = [facts.voucher?.id ?? '', normalizeAmount(facts, amount), seconds ?? '']
  return JSON.stringify(['voucher_hold', ...wanted, ...printPurchase(facts, purchase)])
}

async function post(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  input: HoldInput,
  requestFingerprint: string,
  priced: PricedRequest,
): Promise<CreatedHold> {
  const { environmentId } = caller
  const currency = currencyOf(facts, voucher)
  let request = priced
  for (let attempt = 1; ; attempt++) {
    const offers = offersFor(request)
    try {
      const identity = { id: tools.newId(), key: referenceKey(environmentId, input.reference), requestFingerprint }
      const holds = offers.map((offer) => toHold(tools, caller, voucher, input, identity.id, offer))
      const posted = await tools.ledger.post(
        holdJournal(identity, voucher, holds, currency, orderOf(voucher, input.purchase)),
      )
      if (posted.replayed) return await readCreated(tools, caller, posted.journalId)
      const hold = holds[posted.alternative]
      if (hold === undefined) throw new Error('The ledger posted an unknown alternative.')
      const unpaid = facts.merchant.takesFromBalance ? feeNotCovered({ offers, request }, hold) : undefined
      if (unpaid !== undefined) await alertOfFee(tools, caller, voucher, { minor: unpaid, currency }, input.reference)
      return { hold, replayed: false }
    } catch (error) {
      const available = availableAtRefusal(error, voucher.id)
      // "max" means the balance at posting time: another request may have used part of it since it was read.
      if (available === undefined || request.amount !== 'max' || attempt === maxAttempts) {
        const why = await explain(tools, caller, { voucher, code: input.code }, { request }, available, error)
        throw explainRefusal(why)
      }
      request = { ...request, available }
    }
  }
}

function toHold(
  { newId }: RedeemTools,
  { environmentId }: MerchantCaller,
  voucher: Voucher,
  { code, reference, seconds = secondsByDefault }: HoldInput,
  id: string,
  { amount, charge, chargeType, chargedTo }: Offer,
): VoucherHold {
  const createdAt = timeOfId(id)
  return {
    environmentId,
    id,
    reference,
    voucherId: voucher.id,
    bookId: voucher.bookId,
    currency: voucher.currency,
    codeTail: tailOf(code.symbols) ?? null,
    amount,
    charge,
    chargeType,
    chargedTo,
    captured: 0n,
    capturedCharge: 0n,
    state: 'OPEN',
    ledgerHoldId: id,
    feeHoldId: chargedTo === 'merchant' ? newId() : null,
    expiresAt: new Date(createdAt.getTime() + seconds * 1_000),
    createdAt,
    endedAt: null,
    sequence: 1,
  }
}

/** One alternative per offer, best first: the admin balance may not cover the fee. */
function holdJournal(
  identity: Pick<Journal, 'id' | 'key' | 'requestFingerprint'>,
  voucher: Voucher,
  holds: readonly VoucherHold[],
  currency: ReturnType<typeof currencyOf>,
  orderReference: string | undefined,
): Journal {
  const orderOfHold = ({ environmentId, id, reference }: VoucherHold) =>
    orderReference === undefined ? [] : [orderDocument({ environmentId, orderReference, id, reference })]
  const [first, ...rest] = holds.map(
    (hold): Posting => ({
      transfers: [],
      holds: reserveActs(reservedBy(hold, voucher), hold.expiresAt),
      documents: [holdDocument(hold), ...orderOfHold(hold)],
      events: [holdChanged('voucher_hold.created', hold, currency)],
    }),
  )
  if (first === undefined) throw new Error('A hold has no offer.')
  return { ...identity, kind: 'voucher_hold.create', alternatives: [first, ...rest] }
}

async function readCreated({ pool }: RedeemTools, { environmentId }: MerchantCaller, id: string): Promise<CreatedHold> {
  const hold = await withEnvironment(pool, environmentId, (tx) => findHold(tx, environmentId, id))
  if (hold === undefined) throw new Error('A posted hold is missing.')
  return { hold, replayed: true }
}
