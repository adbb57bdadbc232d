import type { Db, Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { Mode } from '../../base/mode.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Document } from '../../ledger/document.ts'
import type { Posted } from '../../ledger/journal.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { queuePush } from '../../messaging/push/store.ts'
import { claimKey, findClaim } from '../transaction/claim.ts'
import { toApiError } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { userError } from '../../identity/user/errors.ts'
import { findAddressable, lockUser, type User, readIdentifier } from '../../identity/user/store.ts'
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
// A link may be read hours after it was sent.
const linkLifeMs = 24 * 3_600_000

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
  const { pool } = tools
  const currency = await findCurrency(pool, input.currency, 'any')
  const { minor } = parseMoney(input.amount, currency)
  const { value } = readIdentifier(input.identifier)
  // Absent metadata was '{}' once: a retry of such a request is still recognised.
  const metadata = input.metadata === '' ? '{}' : input.metadata
  const identity = {
    key: claimKey(caller, input.reference),
    requestFingerprint: JSON.stringify(['payment.request', value, String(minor), currency.code, metadata]),
  }
  try {
    return await once(tools, identity, {
      find: () => findClaim(pool, caller, input.reference, identity.requestFingerprint),
      retell: (posted) => posted,
      prepare: async () => {
        pickCurrency([currency], currency.code)
        refuseDust(parseAmount(input.amount, currency), currency)
        const { id: userId } = await findPayer(pool, caller, input.identifier, 'user_identifier')
        const bookId = await ensureBook(pool, caller.mode, currency.code)
        return {
          lock: async (tx) => {
            await actFor(tx, caller.environmentId)
            await lockUser(tx, userId)
          },
          post: (tx) => postRequest(tools, tx, caller, input, identity, { userId, bookId, minor, currency }),
        }
      },
    })
  } catch (error) {
    throw toApiError(error, 'reference_id')
  }
}

export type LinkInput = Omit<PaymentInput, 'identifier'>
export type PaymentLink = { readonly id: string; readonly expiresAt: Date; readonly replayed: boolean }

/** Requests a payment from whoever opens the link first. */
export async function requestByLink(tools: PostTools, caller: MerchantCaller, input: LinkInput): Promise<PaymentLink> {
  const { pool } = tools
  const { environmentId, mode } = caller
  const currency = await findCurrency(pool, input.currency, 'any')
  const { minor } = parseMoney(input.amount, currency)
  const identity = {
    key: claimKey(caller, input.reference),
    requestFingerprint: JSON.stringify(['payment.link', String(minor), currency.code, input.note]),
  }
  try {
    const { journalId: id, replayed } = await once(tools, identity, {
      find: () => findClaim(pool, caller, input.reference, identity.requestFingerprint),
      retell: (posted) => posted,
      prepare: async () => {
        pickCurrency([currency], currency.code)
        refuseDust(parseAmount(input.amount, currency), currency)
        const bookId = await ensureBook(pool, mode, currency.code)
        return {
          lock: (tx) => actFor(tx, environmentId),
          post: (tx) => {
            const expiresAt = new Date(tools.clock().getTime() + linkLifeMs)
            const journalId = tools.newId()
            const documents = documentsOf(caller, input, journalId, { bookId, minor, expiresAt })
            const alternatives = [{ transfers: [], documents }] as const
            return postNew(tx, { id: journalId, kind: 'claim.payment', ...identity, alternatives }, tools)
          },
        }
      },
    })
    const request = await withEnvironment(pool, environmentId, (tx) => findRequest(tx, { id }))
    if (request === undefined) throw paymentError('PAYMENT_NOT_FOUND')
    return { id, expiresAt: request.expiresAt, replayed }
  } catch (error) {
    throw toApiError(error, 'referenceId')
  }
}

/** What opens a request by link in the wallet app. */
export function linkOf(publicUrl: string, mode: Mode, id: string): string {
  return `${publicUrl}/app/pay/${id}?mode=${mode}`
}

type Requested = {
  readonly userId?: string
  readonly bookId: number
  readonly minor: bigint
  readonly expiresAt: Date
}

function documentsOf(
  { environmentId, memberId, hasSecret }: MerchantCaller,
  { metadata, note, reference }: LinkInput,
  id: string,
  { userId, bookId, minor, expiresAt }: Requested,
): Document[] {
  const moved = { environmentId, id, bookId, amount: minor, metadata, userId, memberId }
  return [
    freeTransaction('PAYMENT_REQUEST', reference, { ...moved, status: 'PENDING', byPublicKey: !hasSecret }),
    requestDocument({ ...moved, note, expiresAt }),
  ]
}

type Payable = {
  readonly userId: string
  readonly bookId: number
  readonly minor: bigint
  readonly currency: CatalogueCurrency
}

/** Stores the request and tells the user's devices. The caller has locked the user, whose open requests are counted. */
async function postRequest(
  tools: PostTools,
  tx: Tx,
  caller: MerchantCaller,
  input: PaymentInput,
  identity: Identity,
  { userId, bookId, minor, currency }: Payable,
): Promise<Posted> {
  const at = tools.clock()
  if ((await countOpen(tx, caller, userId, at)) >= openMax) throw paymentError('PAYMENTS_TOO_MANY')
  const id = tools.newId()
  const expiresAt = new Date(at.getTime() + lifeMs)
  const documents = documentsOf(caller, input, id, { userId, bookId, minor, expiresAt })
  const alternatives = [{ transfers: [], documents }] as const
  const posted = await postNew(tx, { id, kind: 'claim.payment', ...identity, alternatives }, tools)
  const { merchant = '' } = (await findRequest(tx, { id })) ?? {}
  const message = { kind: 'payment_request', id, merchant, amount: formatMoney({ minor, currency }) }
  const push = { userId, aboutId: id, payload: { ...message, currency: currency.code }, expiresAt }
  await queuePush(tx, push, at)
  return posted
}
