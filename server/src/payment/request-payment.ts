import { type Db, inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { findCurrency, pickCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import type { Posted } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { queuePush } from '../push/store.ts'
import { claimKey, findClaim } from '../transaction/claim.ts'
import { toApiError } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { userError } from '../user/errors.ts'
import { findAddressable, lockUser, type User, readIdentifier } from '../user/store.ts'
import { paymentError } from './errors.ts'
import { countOpen, findRequest, requestDocument } from './store.ts'

export type PaymentInput = {
  /** Major units, as the client wrote them. */
  readonly amount: string
  readonly currency: string
  readonly identifier: string
  /** JSON text. */
  readonly metadata: string
  /** The note that the user sees. */
  readonly note: string
  readonly reference: string
}

const openMax = 3
const lifeMs = 15 * 60 * 1_000

/** Finds a user by identifier. Users who are not discoverable or who blocked the merchant are not found. */
export async function findPayer(
  db: Db,
  { mode, merchantId }: MerchantCaller,
  identifier: string,
  param: 'identifier' | 'user_identifier',
): Promise<User> {
  const user = await findAddressable(db, { realm: mode, merchantId }, identifier)
  if (user === undefined) throw userError('USER_NOT_FOUND', { param })
  return user
}

/** Requests a payment from a user, who has 15 minutes to answer in the wallet app. */
export async function requestPayment(tools: PostTools, caller: MerchantCaller, input: PaymentInput): Promise<Posted> {
  const { pool, clock, newId } = tools
  const { environmentId, mode } = caller
  const currency = await findCurrency(pool, input.currency, 'any')
  const { minor } = parseMoney(input.amount, currency)
  const key = claimKey(caller, input.reference)
  const { value } = readIdentifier(input.identifier)
  // Absent metadata was '{}' once: a retry of such a request is still recognised.
  const metadata = input.metadata === '' ? '{}' : input.metadata
  const requestFingerprint = JSON.stringify(['payment.request', value, String(minor), currency.code, metadata])
  try {
    const known = await findClaim(pool, caller, input.reference, requestFingerprint)
    if (known !== undefined) return known
    pickCurrency([currency], currency.code)
    refuseDust(parseAmount(input.amount, currency), currency)
    const { id: userId } = await findPayer(pool, caller, input.identifier, 'user_identifier')
    const bookId = await ensureBook(pool, mode, currency.code)
    return await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      await lockUser(tx, userId)
      const meanwhile = await findPosted(tx, key, requestFingerprint)
      if (meanwhile !== undefined) return meanwhile
      const at = clock()
      if ((await countOpen(tx, caller, userId, at)) >= openMax) throw paymentError('PAYMENTS_TOO_MANY')
      const id = newId()
      const expiresAt = new Date(at.getTime() + lifeMs)
      const moved = {
        environmentId,
        id,
        bookId,
        amount: minor,
        metadata: input.metadata,
        userId,
        memberId: caller.memberId,
      }
      const claim = { ...moved, status: 'PENDING', byPublicKey: !caller.hasSecret } as const
      const documents = [
        freeTransaction('PAYMENT_REQUEST', input.reference, claim),
        requestDocument({ ...moved, note: input.note, expiresAt }),
      ]
      const alternatives = [{ transfers: [], documents }] as const
      const posted = await postWithin(tx, { id, kind: 'claim.payment', key, requestFingerprint, alternatives }, tools)
      const { merchant = '' } = (await findRequest(tx, { id })) ?? {}
      const message = { kind: 'payment_request', id, merchant, amount: formatMoney({ minor, currency }) }
      const push = { userId, aboutId: id, payload: { ...message, currency: currency.code }, expiresAt }
      await queuePush(tx, push, at)
      return posted
    })
  } catch (error) {
    throw toApiError(error, 'reference_id')
  }
}
