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
import { retell } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { userError } from '../user/errors.ts'
import { findPerson, lockPerson, type Person, readIdentifier } from '../user/store.ts'
import { paymentError } from './errors.ts'
import { countOpen, findRequest, isBlocked, requestDocument } from './store.ts'

export type PaymentAsk = {
  /** Major units, as they were written. */
  readonly amount: string
  readonly currency: string
  readonly identifier: string
  /** JSON text. */
  readonly metadata: string
  /** What the person is told it is for. */
  readonly note: string
  readonly reference: string
}

const openMax = 3
const lifeMs = 15 * 60 * 1_000

/** A person whom this merchant may find. Who does not want to be found, or not by this one, is not there for it. */
export async function findPayer(db: Db, { mode, merchantId }: MerchantCaller, identifier: string): Promise<Person> {
  const person = await findPerson(db, mode, identifier)
  if (person?.isDiscoverable !== true || (await isBlocked(db, person.id, merchantId))) throw userError('USER_NOT_FOUND')
  return person
}

/** Asks a person for a payment, which waits in the wallet app for a while. */
export async function requestPayment(tools: PostTools, caller: MerchantCaller, ask: PaymentAsk): Promise<Posted> {
  const { pool, clock, newId } = tools
  const { environmentId, mode } = caller
  const currency = await findCurrency(pool, ask.currency, 'any')
  const { minor } = parseMoney(ask.amount, currency)
  const key = claimKey(caller, ask.reference)
  const { value } = readIdentifier(ask.identifier)
  const asked = JSON.stringify(['payment.request', value, String(minor), currency.code, ask.metadata])
  try {
    const known = await findClaim(pool, caller, ask.reference, asked)
    if (known !== undefined) return known
    pickCurrency([currency], currency.code)
    refuseDust(parseAmount(ask.amount, currency), currency)
    const { id: userId } = await findPayer(pool, caller, ask.identifier)
    const bookId = await ensureBook(pool, mode, currency.code)
    return await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      await lockPerson(tx, userId)
      const meanwhile = await findPosted(tx, key, asked)
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
        metadata: ask.metadata,
        userId,
        memberId: caller.memberId,
      }
      const claim = { ...moved, status: 'PENDING', byPublicKey: !caller.hasSecret } as const
      const documents = [
        freeTransaction('PAYMENT_REQUEST', ask.reference, claim),
        requestDocument({ ...moved, note: ask.note, expiresAt }),
      ]
      const alternatives = [{ transfers: [], documents }] as const
      const posted = await postWithin(tx, { id, kind: 'claim.payment', key, asked, alternatives }, tools)
      const { merchant = '' } = (await findRequest(tx, { id })) ?? {}
      const told = { kind: 'payment_request', id, merchant, amount: formatMoney({ minor, currency }) }
      const push = { userId, aboutId: id, payload: { ...told, currency: currency.code }, expiresAt }
      await queuePush(tx, push, at)
      return posted
    })
  } catch (error) {
    throw retell(error, 'reference_id')
  }
}
