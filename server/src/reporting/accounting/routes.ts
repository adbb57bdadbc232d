import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { timeOfId } from '../../base/id.ts'
import { writeInZone } from '../../base/zone.ts'
import { pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey, staff } from '../../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { continueAt, cursorQuery } from '../../http/pages.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { readProfile } from '../../identity/merchant/store.ts'
import { sendCsv, toLine } from '../csv.ts'
import type { Catalogue } from '../to-wire.ts'
import { changeNumbers, readNumbers } from './account-numbers.ts'
import { exportJournals } from './export-journals.ts'
import { readBalance, readVoucherBalance } from './read-balance.ts'
import { readFees } from './read-fees.ts'
import { readLiability } from './read-liability.ts'
import { readStatement, readStatementLines } from './read-statement.ts'
import { readTotals } from './read-totals.ts'
import type { Entry } from './store.ts'
import { toAmount, toWireFee, toWireLiability, toWireLine, toWireTotal } from './to-wire.ts'
import {
  account,
  accountNumbers,
  wireAccountBalance,
  wireFees,
  wireLiability,
  wireNumbers,
  wireStatement,
  wireTotals,
} from './wire.ts'
import { feeHead, liabilityHead, toCell, toFeeLine, toLiabilityLines } from './write-csv.ts'

type Tools = { readonly pool: Pool; readonly clock: Clock }

const day = Type.String({ format: 'date', pattern: '^[12]' })
const periodQuery = {
  from: Type.Optional(day),
  until: Type.Optional(day),
}
const days = 'Both days count. By default the last day is today, and the first day that of its month.'
const currency = Type.String({ minLength: 1, maxLength: 12 })
const statementQuery = { account: Type.Optional(account), currency: Type.Optional(currency), ...periodQuery }
const lineHead = ['time', 'journal', 'kind', 'type', 'reference', 'currency', 'in', 'out']
const exportPage = 1_000
const csvFile = { 200: { description: 'The file', content: { 'text/csv': { schema: Type.String() } } } }

/** Reports for accountants, and the same ones for secret keys. */
export function registerAccountingRoutes(server: Server, tools: Tools): void {
  const sides = [
    ['/merchant/reports', staff('accountant')],
    ['/merchant-integrations-server/reports', secretKey('accountant')],
  ] as const
  for (const [root, access] of sides) {
    registerReports(server, tools, root, access)
    registerStatement(server, tools, root, access)
    registerExport(server, tools, root, access)
  }
}

type Access = ReturnType<typeof staff>

/** The currency of a request, by default the merchant's home currency. */
async function readCurrency(
  pool: Pool,
  merchantId: string,
  catalogue: Catalogue,
  code: string | undefined,
): Promise<string> {
  const wanted = code ?? (await readProfile(pool, merchantId)).homeCurrency
  return pickCurrency(catalogue, wanted.toUpperCase(), 'any').code
}

function registerReports(server: Server, { pool, clock }: Tools, root: string, access: Access): void {
  const api = endpoints(server, ['Reports'])

  api.get(`${root}/liability`, access, {
    operationId: 'get-liability-report',
    summary: 'Get the voucher liability',
    description: `What the vouchers that you issued were worth at the end of a day, by age and month of issue, and what changed it. ${days}`,
    querystring: Type.Object(periodQuery),
    response: { 200: enveloped(wireLiability) },
    handler: async (request) => {
      const { period, liabilities } = await readLiability(pool, callerOf(request), request.query, clock())
      const catalogue = await readCurrencies(pool)
      const { from, until } = period
      return answer('Your liability.', {
        ...{ from, until },
        liabilities: liabilities.map((each) => toWireLiability(catalogue, each)),
      })
    },
  })

  api.get(`${root}/liability.csv`, access, {
    operationId: 'export-liability-report',
    summary: 'Export the voucher liability',
    description: `The opening value and what changed it, as CSV: the sum of \`in\` less that of \`out\` is the closing value. ${days}`,
    route: { exposeHeadRoute: false },
    querystring: Type.Object(periodQuery),
    response: csvFile,
    handler: async (request, reply) => {
      const { period, liabilities } = await readLiability(pool, callerOf(request), request.query, clock())
      const catalogue = await readCurrencies(pool)
      const lines = liabilities.flatMap((each) => toLiabilityLines(catalogue, each))
      const name = `liability-${period.from}-${period.until}.csv`
      return sendCsv(reply, name, liabilityHead, () => Promise.resolve({ lines, next: '' }))
    },
  })

  api.get(`${root}/fees`, access, {
    operationId: 'get-fee-report',
    summary: 'Get fees',
    description: `Fees by currency, kind of payment and who paid them. ${days}`,
    querystring: Type.Object(periodQuery),
    response: { 200: enveloped(wireFees) },
    handler: async (request) => {
      const { period, fees } = await readFees(pool, callerOf(request), request.query, clock())
      const catalogue = await readCurrencies(pool)
      const { from, until } = period
      return answer('Your fees.', { ...{ from, until }, fees: fees.map((each) => toWireFee(catalogue, each)) })
    },
  })

  api.get(`${root}/fees.csv`, access, {
    operationId: 'export-fee-report',
    summary: 'Export fees',
    description: `Fees by currency, kind of payment and who paid them, as CSV. ${days}`,
    route: { exposeHeadRoute: false },
    querystring: Type.Object(periodQuery),
    response: csvFile,
    handler: async (request, reply) => {
      const { period, fees } = await readFees(pool, callerOf(request), request.query, clock())
      const catalogue = await readCurrencies(pool)
      const lines = fees.map((each) => toFeeLine(catalogue, each))
      const name = `fees-${period.from}-${period.until}.csv`
      return sendCsv(reply, name, feeHead, () => Promise.resolve({ lines, next: '' }))
    },
  })

  api.get(`${root}/balance`, access, {
    operationId: 'get-account-balance',
    summary: 'Get the balance of an account',
    description:
      'Now, or at any past time. By default of your balance in your home currency; with `voucherId` of a voucher that you issued.',
    querystring: Type.Object({
      account: Type.Optional(account),
      currency: Type.Optional(currency),
      voucherId: Type.Optional(Type.String({ format: 'uuid' })),
      at: Type.Optional(Type.String({ format: 'date-time', pattern: '^[12]' })),
    }),
    response: { 200: enveloped(wireAccountBalance) },
    handler: async (request) => {
      const caller = callerOf(request)
      const { voucherId, account: wanted = 'balance', currency: code } = request.query
      const at = request.query.at === undefined ? undefined : new Date(request.query.at)
      const catalogue = await readCurrencies(pool)
      const now = clock()
      const found =
        voucherId !== undefined
          ? await readVoucherBalance(pool, caller, voucherId, at)
          : await readBalance(
              pool,
              caller,
              { account: wanted, currency: await readCurrency(pool, caller.merchantId, catalogue, code), at },
              now,
            )
      return answer('The balance.', {
        ...{ account: found.account, currency: found.currency, at: (at ?? now).toISOString() },
        balance: toAmount(catalogue, found.balance, found.currency),
      })
    },
  })
}

function registerStatement(server: Server, { pool, clock }: Tools, root: string, access: Access): void {
  const api = endpoints(server, ['Reports'])

  api.get(`${root}/statement`, access, {
    operationId: 'get-statement',
    summary: 'Get a statement',
    description: `What came onto an account and left it, oldest first, with its value before and after. By default of your balance in your home currency. ${days}`,
    querystring: Type.Object({ ...cursorQuery, ...statementQuery }),
    response: { 200: enveloped(wireStatement) },
    handler: async (request) => {
      const { cursor = '', limit, account: wanted = 'balance', currency: code, ...days } = request.query
      const catalogue = await readCurrencies(pool)
      const known = await readCurrency(pool, callerOf(request).merchantId, catalogue, code)
      const input = { ...days, account: wanted, currency: known, after: cursor.toLowerCase() || firstId, limit }
      const found = await readStatement(pool, callerOf(request), input, clock())
      const amount = (minor: bigint) => toAmount(catalogue, minor, known)
      return answer('Your statement.', {
        ...{ from: found.period.from, until: found.period.until, account: wanted, currency: known },
        opening: amount(found.opening),
        valueIn: amount(found.valueIn),
        valueOut: amount(found.valueOut),
        closing: amount(found.closing),
        lines: found.entries.map((each) => toWireLine(catalogue, each)),
        ...continueAt(found.next),
      })
    },
  })

  api.get(`${root}/statement.csv`, access, {
    operationId: 'export-statement',
    summary: 'Export a statement',
    description: 'The lines of a statement as CSV, without its sums.',
    route: { exposeHeadRoute: false },
    querystring: Type.Object(statementQuery),
    response: csvFile,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      const { account: wanted = 'balance', currency: code, ...days } = request.query
      const catalogue = await readCurrencies(pool)
      const known = await readCurrency(pool, caller.merchantId, catalogue, code)
      const input = { ...days, account: wanted, currency: known, after: firstId, limit: exportPage }
      const { period } = await readStatement(pool, caller, { ...input, limit: 1 }, clock())
      const name = `statement-${known}-${period.from}-${period.until}.csv`
      return sendCsv(reply, name, lineHead, async (cursor) => {
        const after = cursor ?? firstId
        const { entries, next } = await readStatementLines(pool, caller, period, { ...input, after })
        return { lines: entries.map((each) => toStatementLine(catalogue, each, period.timeZone)), next }
      })
    },
  })
}

const firstId = '00000000-0000-0000-0000-000000000000'

function toStatementLine(catalogue: Catalogue, entry: Entry, timeZone: string): string {
  const { journalId, kind, type, reference, currency: code, valueIn, valueOut } = entry
  const cell = (minor: bigint): string => toCell(catalogue, minor, code)
  const time = writeInZone(timeOfId(journalId), timeZone)
  return toLine([time, journalId, kind, type, reference, code, cell(valueIn), cell(valueOut)])
}

function registerExport(server: Server, { pool, clock }: Tools, root: string, access: Access): void {
  const api = endpoints(server, ['Reports'])

  api.get(`${root}/totals`, access, {
    operationId: 'get-account-totals',
    summary: 'Get the totals of all accounts',
    description: `The sums of debits and credits of each account: those of the lines of the accountant's export. ${days}`,
    querystring: Type.Object(periodQuery),
    response: { 200: enveloped(wireTotals) },
    handler: async (request) => {
      const { period, totals } = await readTotals(pool, callerOf(request), request.query, clock())
      const catalogue = await readCurrencies(pool)
      const { from, until } = period
      return answer('Your accounts.', {
        ...{ from, until },
        totals: totals.map((each) => toWireTotal(catalogue, each)),
      })
    },
  })

  api.get(`${root}/journals.csv`, access, {
    operationId: 'export-journals',
    summary: "Get the accountant's export",
    description: `Every journal as lines of debits and credits, as CSV. An account that gets value is debited. Each currency has columns of its own, and no line is a total. ${days}`,
    route: { exposeHeadRoute: false },
    querystring: Type.Object(periodQuery),
    response: csvFile,
    handler: async (request, reply) => {
      const catalogue = await readCurrencies(pool)
      const { name, head, readPage } = await exportJournals(pool, callerOf(request), catalogue, request.query, clock())
      return sendCsv(reply, name, head, readPage)
    },
  })

  api.get(`${root}/account-numbers`, access, {
    operationId: 'list-account-numbers',
    summary: 'List account numbers',
    description: "The numbers that your own bookkeeping has for the accounts of the accountant's export.",
    response: { 200: enveloped(wireNumbers) },
    handler: async (request) =>
      answer('Your account numbers.', { accounts: await readNumbers(pool, callerOf(request)) }),
  })

  api.post(`${root}/account-numbers`, access, {
    operationId: 'update-account-numbers',
    summary: 'Update account numbers',
    description: 'In test and live mode. Accounts that are left out keep theirs; an empty number removes it.',
    body: closed({ accounts: accountNumbers }),
    handler: async (request) => {
      await changeNumbers(pool, callerOf(request), request.body.accounts)
      return acknowledge('The account numbers were saved.')
    },
  })
}
