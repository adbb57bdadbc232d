import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { ensureBook } from '../../ledger/book.ts'
import {
  type OutflowInput,
  type OutflowTools,
  type PreparedOutflow,
  type RequestedOutflow,
  requestOutflow,
} from '../outflow/request.ts'
import { referenceKey, toApiError } from '../transaction/reference.ts'
import { userError } from '../../identity/user/errors.ts'
import { findAddressable, findUser, fullNameOf, type User, readIdentifier } from '../../identity/user/store.ts'
import { payoutError } from './errors.ts'
import { convertNow, pay } from './postings.ts'
import { hasPaid, type Payout, payoutDocument } from './store.ts'

export type PayoutInput = {
  /** Major units of the currency that it is paid from, as the client wrote them. */
  readonly amount: string
  readonly from: string
  readonly to: string
  readonly identifier: string
  readonly network: string | undefined
  readonly metadata: string
  readonly reference: string
}

const networkByDefault = 'BSC'

/** Pays a user from the merchant's balance: at once, or after a wait during which the amount is held. */
export async function payOut(
  tools: OutflowTools,
  caller: MerchantCaller,
  input: PayoutInput,
): Promise<RequestedOutflow> {
  const { pool } = tools
  const { environmentId, mode } = caller
  const from = await findCurrency(pool, input.from, 'any', 'fromCurrencyAbbreviation')
  const to = await findCurrency(pool, input.to, 'any', 'toCurrencyAbbreviation')
  const amount = parseMoney(input.amount, from).minor
  const { identifier, network = networkByDefault, metadata, reference } = input
  const terms = [String(amount), from.code, to.code, identifier.toLowerCase(), network, metadata]
  const identity = {
    key: referenceKey(environmentId, reference),
    requestFingerprint: JSON.stringify(['payout', ...terms]),
  }
  const prepare = async (): Promise<PreparedOutflow> => {
    const user = await findRecipient(tools, caller, input, [from, to])
    const bookId = await ensureBook(pool, mode, from.code)
    const toBookId = await ensureBook(pool, mode, to.code)
    const { id: userId } = user
    const wasPaid = await withEnvironment(pool, environmentId, (tx) => hasPaid(tx, environmentId, userId))
    // Users who are not discoverable are not found by merchants that never paid them.
    if (!user.isDiscoverable && !wasPaid) throw notFound()
    const books = { bookId, currency: from.code, toBookId, toCurrency: to.code }
    const outflow: OutflowInput = {
      kind: 'payout',
      reference,
      bookId,
      amount,
      currency: from,
      recipient: fullNameOf(user),
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      // Phone numbers are not verified and can move to another user: each payout to one waits as for a new recipient.
      isKnownRecipient: wasPaid && !isPhone(identifier),
      transaction: { type: 'PAYOUT', metadata, userId },
      documents: (id) => [payoutDocument({ environmentId, id, userId, toBookId, network, createdAt: timeOfId(id) })],
      request: {},
    }
    const payoutOf = (id: string): Payout => ({ ...books, id, environmentId, userId, amount, metadata, reference })
    await withEnvironment(pool, environmentId, (tx) => convertNow(tools, tx, payoutOf(environmentId)))
    return { input: outflow, send: (tx, id) => pay(tools, tx, payoutOf(id), id, 1) }
  }
  try {
    return await requestOutflow(tools, caller, identity, prepare)
  } catch (error) {
    throw toApiError(error, 'referenceId', (cause) => payoutError('PAYOUT_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** Checks currencies, amount and network, and finds the recipient. Needs no lock. */
async function findRecipient(
  { pool }: PostTools,
  { mode, merchantId }: MerchantCaller,
  { amount, network, identifier }: PayoutInput,
  currencies: readonly [CatalogueCurrency, CatalogueCurrency],
): Promise<User> {
  const [from, to] = currencies
  pickCurrency([from], from.code, 'offered', 'fromCurrencyAbbreviation')
  pickCurrency([to], to.code, 'offered', 'toCurrencyAbbreviation')
  refuseDust(parseAmount(amount, from), from)
  if (network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw payoutError('PAYOUT_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  // A phone number finds the same users as confirm-user, where the merchant sees the name before it pays.
  const user = isPhone(identifier)
    ? await findAddressable(pool, { realm: mode, merchantId }, identifier)
    : await findUser(pool, mode, identifier)
  if (user === undefined) throw notFound()
  return user
}

function isPhone(identifier: string): boolean {
  return readIdentifier(identifier).by === 'phone'
}

function notFound(): Error {
  return userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
}
