import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { LogoUrl } from '../../catalogue/currency/to-wire.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, anyRole, endpoints, secretKey } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { continueAt, cursorFields, cursorQuery, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { readTime } from '../../http/validation.ts'
import { wireLanguage } from '../../mail/words.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { transactionError } from './errors.ts'
import { mailReceipt } from './mail-receipt.ts'
import { findReceipts, findRedemptionHashes } from './receipts.ts'
import { firstIdAt, findTransaction, listTransactions, type Transaction } from './store.ts'
import { toWireTransaction } from './to-wire.ts'
import { wireStatus, wireTransaction, wireType } from './wire.ts'

export type TransactionTools = PostTools & { readonly logoUrl: LogoUrl; readonly platformName: string }

// Rows that a filter scans per page.
const scanMax = 2_000

export function registerTransactionRoutes(server: Server, tools: TransactionTools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool } = tools

  async function toWire(transactions: readonly Transaction[], environmentId: string) {
    const catalogue = await readCurrencies(pool)
    const deposits = transactions.filter(({ type }) => type === 'WALLET_DEPOSIT').map(({ id }) => id)
    const redemptions = transactions.filter(({ type }) => type === 'VOUCHER_REDEMPTION').map(({ id }) => id)
    const [receipts, hashes] = await withEnvironment(pool, environmentId, async (tx) => [
      await findReceipts(tx, deposits),
      await findRedemptionHashes(tx, redemptions),
    ])
    return transactions.map((one) => {
      const receipt = receipts.get(one.id)
      const deposit = receipt && { ...receipt, payCurrency: pickCurrency(catalogue, receipt.currency, 'any') }
      return toWireTransaction(one, pickCurrency(catalogue, one.currency, 'any'), tools, deposit, hashes.get(one.id))
    })
  }

  api.get('/merchant-integrations-server/verify-transaction/:referenceID', secretKey(...anyRole), {
    summary: 'Get a transaction',
    description: 'Compare amount and currency with your order: anyone with your public key can use a reference.',
    params: Type.Object({ referenceID: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: { 200: enveloped(wireTransaction) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { referenceID } = request.params
      const found = await withEnvironment(pool, environmentId, (tx) => findTransaction(tx, environmentId, referenceID))
      const [transaction] = await toWire(found === undefined ? [] : [found], environmentId)
      if (transaction === undefined) throw transactionError('TRANSACTION_NOT_FOUND')
      return answer('The transaction.', transaction)
    },
  })

  api.post('/merchant-integrations-server/transactions/:referenceID/receipt', secretKey('cashier', 'accountant'), {
    operationId: 'mail-receipt',
    summary: 'Email a receipt',
    params: Type.Object({ referenceID: Type.String({ minLength: 1, maxLength: 200 }) }),
    body: closed({ email: Type.String({ format: 'email', maxLength: 254 }), language: Type.Optional(wireLanguage) }),
    handler: async (request) => {
      const { email: to, language } = request.body
      await mailReceipt(tools, callerOf(request), { reference: request.params.referenceID, to, language })
      return acknowledge('The receipt is on its way.')
    },
  })

  api.get('/merchant-integrations-server/transactions', secretKey('accountant', 'developer'), {
    operationId: 'list-transactions',
    summary: 'List transactions',
    description:
      'Continue with nextCursor until it is empty. With a filter, a page can be short or empty and still have a nextCursor.',
    querystring: Type.Object({
      ...cursorQuery,
      type: Type.Optional(wireType),
      status: Type.Optional(wireStatus),
      currencyAbbreviation: Type.Optional(Type.String({ maxLength: 12 })),
      from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at this time or later' })),
      until: Type.Optional(Type.String({ format: 'date-time', description: 'Created before this time' })),
    }),
    response: answers({ transactions: Type.Array(wireTransaction), ...cursorFields }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, type, status, currencyAbbreviation, from, until } = request.query
      const ends = [readCursor(cursor), ...(until === undefined ? [] : [firstIdAt(readTime(until, 'until'))])]
      const range = {
        from: firstIdAt(from === undefined ? new Date(0) : readTime(from, 'from')),
        below: ends.toSorted()[0] ?? '',
      }
      const currency = currencyAbbreviation?.toUpperCase()
      if (currency !== undefined) await findCurrency(pool, currency, 'any', 'currencyAbbreviation')
      const filter = { type, status, currency }
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listTransactions(tx, environmentId, range, filter, limit, scanMax),
      )
      const transactions = await toWire(found.transactions, environmentId)
      return answer('Your transactions.', { transactions, ...continueAt(found.next ?? '') })
    },
  })
}
