import { withEnvironment } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, pickCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { PostTools } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { findPosted } from '../ledger/store.ts'
import {
  type OutflowAsk,
  type OutflowTools,
  readStatus,
  type RequestedOutflow,
  requestOutflow,
} from '../outflow/request.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { userError } from '../user/errors.ts'
import { findPerson, fullNameOf, type Person, readIdentifier } from '../user/store.ts'
import { payoutError } from './errors.ts'
import { convertNow, pay } from './postings.ts'
import { hasPaid, type Payout, payoutDocument } from './store.ts'

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

const networkByDefault = 'BSC'

/** Pays a user from the merchant's balance: at once, or later if the outflow has to wait. Then its amount is held. */
export async function payOut(tools: OutflowTools, caller: MerchantCaller, ask: PayoutAsk): Promise<RequestedOutflow> {
  const { pool } = tools
  const { environmentId, mode } = caller
  const [from, to] = [await findCurrency(pool, ask.from, 'any'), await findCurrency(pool, ask.to, 'any')]
  const amount = parseMoney(ask.amount, from).minor
  const { identifier, network = networkByDefault, metadata, reference } = ask
  const key = referenceKey(environmentId, reference)
  const wanted = [String(amount), from.code, to.code, identifier.toLowerCase(), network, metadata]
  const asked = JSON.stringify(['payout', ...wanted])
  try {
    const known = await findPosted(pool, key, asked)
    if (known !== undefined)
      return {
        ...(await withEnvironment(pool, environmentId, (tx) => readStatus(tx, environmentId, known.journalId))),
        replayed: true,
      }
    const person = await checkAsk(tools, caller, ask, [from, to])
    const [bookId, toBookId] = [await ensureBook(pool, mode, from.code), await ensureBook(pool, mode, to.code)]
    const { id: userId } = person
    const isKnown = await withEnvironment(pool, environmentId, (tx) => hasPaid(tx, environmentId, userId))
    // A user who does not want to be found does not exist for a merchant that never paid them.
    if (!person.isDiscoverable && !isKnown) throw notFound()
    const books = { bookId, currency: from.code, toBookId, toCurrency: to.code }
    const outflow: OutflowAsk = {
      ...{ kind: 'payout', reference, bookId, amount, currency: from, recipient: fullNameOf(person) },
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      isKnownRecipient: isKnown,
      transaction: { type: 'PAYOUT', metadata, userId },
      documents: (id) => [payoutDocument({ environmentId, id, userId, toBookId, network, createdAt: timeOfId(id) })],
      request: {},
    }
    const payoutOf = (id: string): Payout => ({ ...books, id, environmentId, userId, amount, reference })
    await withEnvironment(pool, environmentId, (tx) => convertNow(tools, tx, payoutOf(environmentId)))
    return await requestOutflow(tools, caller, { key, asked }, outflow, (tx, id) => pay(tools, tx, payoutOf(id), id, 1))
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => payoutError('PAYOUT_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** Checks what needs no lock, and finds the recipient. */
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
