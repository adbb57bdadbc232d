import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { pickCurrency, readCurrencies } from '../currency/store.ts'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../http/envelope.ts'
import { cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { readTime } from '../http/validation.ts'
import { wireLanguage } from '../mail/words.ts'
import type { PostTools } from '../ledger/batch.ts'
import { transactionError } from './errors.ts'
import { mailReceipt } from './mail-receipt.ts'
import { firstIdAt, findTransaction, listTransactions, type Transaction } from './store.ts'
import { toWireTransaction, wireTransaction } from './wire.ts'

export type TransactionTools = PostTools & { readonly logoUrl: LogoUrl; readonly platformName: string }

// How many rows a filter looks at before it answers with what it found.
const scanMax = 2_000

export function registerTransactionRoutes(server: Server, tools: TransactionTools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool } = tools

  async function toWire(transactions: readonly Transaction[]) {
    const catalogue = await readCurrencies(pool)
    return transactions.map((one) => toWireTransaction(one, pickCurrency(catalogue, one.currency, 'any'), tools))
  }

  api.get('/merchant-integrations-server/verify-transaction/:referenceID', secretKey(...anyRole), {
    summary: 'Tells what became of a transaction, by your reference',
    description: 'Compare amount and currency with your order: whoever has your public key can use a reference.',
    params: Type.Object({ referenceID: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: { 200: enveloped(wireTransaction) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { referenceID } = request.params
      const found = await withEnvironment(pool, environmentId, (tx) => findTransaction(tx, environmentId, referenceID))
      if (found === undefined) throw transactionError('TRANSACTION_NOT_FOUND')
      const [transaction] = await toWire([found])
      return answer('The transaction.', transaction)
    },
  })

  api.post('/merchant-integrations-server/transactions/:referenceID/receipt', secretKey('cashier', 'accountant'), {
    operationId: 'mail-receipt',
    summary: 'Sends a receipt for a redemption or a refund by e-mail',
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
    summary: 'Lists your transactions, newest first',
    description:
      'Go on with nextCursor until it is empty. With a filter an answer can be short, or empty, and still have one.',
    querystring: Type.Object({
      ...cursorQuery,
      type: Type.Optional(Type.String({ maxLength: 40 })),
      status: Type.Optional(Type.String({ maxLength: 40 })),
      currencyAbbreviation: Type.Optional(Type.String({ maxLength: 12 })),
      from: Type.Optional(Type.String({ format: 'date-time', description: 'Made at this time or later' })),
      until: Type.Optional(Type.String({ format: 'date-time', description: 'Made before this time' })),
    }),
    response: answers({ transactions: Type.Array(wireTransaction), nextCursor: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, type, status, currencyAbbreviation, from, until } = request.query
      const ends = [readCursor(cursor), ...(until === undefined ? [] : [firstIdAt(readTime(until, 'until'))])]
      const range = {
        from: firstIdAt(from === undefined ? new Date(0) : readTime(from, 'from')),
        below: ends.toSorted()[0] ?? '',
      }
      const filter = { type, status, currency: currencyAbbreviation?.toUpperCase() }
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listTransactions(tx, environmentId, range, filter, limit, scanMax),
      )
      const transactions = await toWire(found.transactions)
      return answer('Your transactions.', { transactions, nextCursor: found.next ?? '' })
    },
  })
}
