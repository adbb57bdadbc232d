import { dbError, inTransaction, type Tx } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, pickCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import type { Posted } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { freeTransaction } from '../transaction/store.ts'
import { userError } from '../user/errors.ts'
import { findPerson, type Person, readIdentifier } from '../user/store.ts'
import { payoutError } from './errors.ts'
import { pay, reserve } from './postings.ts'
import { addToDay, findRules, hasPaid, type Payout, payoutDocument } from './store.ts'

export type PayoutAsk = {
  /** In the currency that it is paid from. Major units, as they were written. */
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly identifier: string
  readonly network: string | undefined
  readonly metadata: string
  readonly reference: string
}

const hourMs = 3_600_000
// How long an approver may take.
const heldMs = 7 * 24 * hourMs
const networkByDefault = 'BSC'

/**
 * Pays a person out of the merchant's balance: at once, or, where it waits for a second person or the recipient is new, later. Then its
 * amount is held before this answers.
 */
export async function payOut(tools: PostTools, caller: MerchantCaller, ask: PayoutAsk): Promise<Posted> {
  const { pool } = tools
  const { environmentId, mode } = caller
  const [from, to] = [await findCurrency(pool, ask.from, 'any'), await findCurrency(pool, ask.to, 'any')]
  const amount = parseMoney(ask.amount, from).minor
  const { identifier, network = networkByDefault, metadata } = ask
  const key = referenceKey(environmentId, ask.reference)
  const wanted = [String(amount), from.code, to.code, identifier.toLowerCase(), network, metadata]
  const asked = JSON.stringify(['payout', ...wanted])
  try {
    const known = await findPosted(pool, key, asked)
    if (known !== undefined) return known
    const person = await checkAsk(tools, caller, ask, [from, to])
    const [bookId, toBookId] = [await ensureBook(pool, mode, from.code), await ensureBook(pool, mode, to.code)]
    const books = { bookId, currency: from.code, toBookId, toCurrency: to.code }
    return await inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      const meanwhile = await findPosted(tx, key, asked)
      if (meanwhile !== undefined) return meanwhile
      const payout = await plan(tools, tx, caller, person, { ...books, amount, reference: ask.reference })
      const { id, userId, status } = payout
      const moved = { environmentId, id, bookId, amount, metadata, userId, status, memberId: caller.memberId }
      const posting = payout.endedAt === null ? await reserve(tools, tx, payout) : await pay(tools, tx, payout, id, 1)
      const documents = [
        freeTransaction('PAYOUT', ask.reference, moved),
        payoutDocument({ ...payout, network }),
        ...(posting.documents ?? []),
      ]
      const alternatives = [{ ...posting, documents }] as const
      const posted = await postWithin(tx, { id, kind: 'payout', key, asked, alternatives }, tools)
      // Somebody was first since we looked: what this counted is undone, and the next look finds the other.
      if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
      return posted
    })
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => payoutError('PAYOUT_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** What can be said without a lock, and whom it is for. */
async function checkAsk(
  { pool }: PostTools,
  { mode }: MerchantCaller,
  { amount, network, identifier }: PayoutAsk,
  currencies: readonly [CatalogueCurrency, CatalogueCurrency],
): Promise<Person> {
  for (const currency of currencies) pickCurrency([currency], currency.code)
  refuseDust(parseAmount(amount, currencies[0]), currencies[0])
  if (network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw payoutError('PAYOUT_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  // Not by phone: see findRecipient in wallet/send.ts.
  const isPhone = readIdentifier(identifier).by === 'phone'
  const person = isPhone ? undefined : await findPerson(pool, mode, identifier)
  if (person === undefined) throw notFound()
  return person
}

function notFound(): Error {
  return userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
}

type Wanted = Pick<Payout, 'bookId' | 'currency' | 'toBookId' | 'toCurrency' | 'amount' | 'reference'>

/** The payout, counted for its day: whether the cap has room, and what it has to wait for. */
async function plan(
  { clock, newId }: PostTools,
  tx: Tx,
  { environmentId, memberId }: MerchantCaller,
  person: Person,
  wanted: Wanted,
): Promise<Payout> {
  const { bookId, amount } = wanted
  const at = clock()
  const { daily, approvalAbove, newRecipientHours, today: day } = await findRules(tx, environmentId, bookId, at)
  // Counted also without a cap: one that is set at noon counts from midnight.
  const total = await addToDay(tx, { environmentId, bookId, day }, amount)
  if (daily !== null && total > daily) throw payoutError('PAYOUT_ABOVE_CAP', { param: 'amount' })
  const isKnown = await hasPaid(tx, environmentId, person.id)
  // Who does not want to be found is not there for a merchant that never paid him.
  if (!person.isDiscoverable && !isKnown) throw notFound()
  const needsApproval = approvalAbove !== null && amount > approvalAbove
  const isNew = newRecipientHours > 0 && !isKnown
  const waits = needsApproval || isNew
  const notBefore = isNew ? new Date(at.getTime() + newRecipientHours * hourMs) : null
  const id = newId()
  return {
    ...wanted,
    id,
    environmentId,
    userId: person.id,
    status: needsApproval ? 'PENDING' : isNew ? 'APPROVED' : 'COMPLETED',
    askedBy: memberId ?? null,
    needsApproval,
    day,
    notBefore,
    heldUntil: waits ? new Date((notBefore ?? at).getTime() + heldMs) : null,
    endedAt: waits ? null : at,
    createdAt: timeOfId(id),
  }
}
