import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
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
import { payoutError } from './errors.ts'
import { findRecipient } from './find-recipient.ts'
import { convertNow, pay } from './postings.ts'
import { type Payout, payoutDocument } from './store.ts'

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

export const networkByDefault = 'BSC'

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
    await checkTerms(pool, input, [from, to])
    const recipient = await findRecipient(pool, caller, identifier)
    if (recipient === undefined) throw userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
    const bookId = await ensureBook(pool, mode, from.code)
    const toBookId = await ensureBook(pool, mode, to.code)
    const { id: userId } = recipient
    const books = { bookId, currency: from.code, toBookId, toCurrency: to.code }
    const outflow: OutflowInput = {
      kind: 'payout',
      reference,
      bookId,
      amount,
      currency: from,
      recipient: recipient.name,
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      isKnownRecipient: recipient.isKnown,
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

/** Checks currencies, amount and network. Needs no lock. */
async function checkTerms(
  pool: Pool,
  { amount, network }: PayoutInput,
  [from, to]: readonly [CatalogueCurrency, CatalogueCurrency],
): Promise<void> {
  pickCurrency([from], from.code, 'offered', 'fromCurrencyAbbreviation')
  pickCurrency([to], to.code, 'offered', 'toCurrencyAbbreviation')
  refuseDust(parseAmount(amount, from), from)
  if (network !== undefined && !(await listNetworks(pool)).some(({ abbreviation }) => abbreviation === network))
    throw payoutError('PAYOUT_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
}
