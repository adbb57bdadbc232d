// The main tables of the schema and their relations, as a Mermaid diagram.

export type Reference = { table: string; column: string; target: string; isOptional: boolean }

const mainTables = [
  'merchants',
  'merchant_environments',
  'merchant_keys',
  'merchant_members',
  'users',
  'ledger_books',
  'ledger_accounts',
  'ledger_journals',
  'ledger_transfers',
  'ledger_holds',
  'ledger_outbox',
  'transactions',
  'vouchers',
  'voucher_batches',
  'redemptions',
  'payment_requests',
  'payouts',
  'outflows',
  'invoices',
  'deposits',
  'deposit_cases',
  'chain_payments',
  'chain_bookings',
  'networks',
]

/** Relations without a foreign key: docs/decisions/0007 gives the reason. One row of the second table at most, or many. */
const relationsWithoutKey: readonly [from: string, to: string, column: string, most: 'one' | 'many'][] = [
  ['ledger_accounts', 'ledger_transfers', 'from_owner', 'many'],
  ['ledger_accounts', 'ledger_transfers', 'to_owner', 'many'],
  ['ledger_accounts', 'ledger_holds', 'owner_id', 'many'],
  ['ledger_journals', 'ledger_transfers', 'journal_id', 'many'],
  ['ledger_journals', 'ledger_outbox', 'journal_id', 'many'],
  ['ledger_journals', 'chain_bookings', 'journal_id', 'many'],
  ['ledger_journals', 'transactions', 'id', 'one'],
  ['merchant_environments', 'transactions', 'environment_id', 'many'],
  ['merchant_environments', 'outflows', 'environment_id', 'many'],
  ['transactions', 'redemptions', 'id', 'one'],
  ['transactions', 'payment_requests', 'id', 'one'],
  ['transactions', 'payouts', 'id', 'one'],
  ['transactions', 'deposits', 'id', 'one'],
  ['transactions', 'outflows', 'id', 'one'],
  ['vouchers', 'redemptions', 'voucher_id', 'many'],
  ['voucher_batches', 'vouchers', 'batch_id', 'many'],
  ['vouchers', 'invoices', 'voucher_id', 'one'],
  ['deposits', 'chain_payments', 'owner_id', 'many'],
]

/** `columns` has an entry such as `merchants.code` for each column, and whether it can be null. */
export function drawDiagram(references: Reference[], columns: Map<string, boolean>): string {
  const isDrawn = ({ table, target }: Reference): boolean =>
    mainTables.includes(table) &&
    mainTables.includes(target) &&
    // Most tables name a book; the lines would hide the others.
    (target !== 'ledger_books' || table === 'ledger_accounts')
  const keys = references
    .filter(isDrawn)
    .map(({ table, column, target, isOptional }) => line(target, table, column, isOptional, 'many'))
  const others = relationsWithoutKey.map(([from, to, column, most]) => {
    const isOptional = columns.get(`${to}.${column}`)
    if (isOptional === undefined) throw new Error(`The diagram names ${to}.${column}, which does not exist.`)
    return line(from, to, column, isOptional, most)
  })
  const lines = [...keys, ...others].toSorted((a, b) => a.localeCompare(b))
  const alone = mainTables.filter((table) => !lines.some((text) => text.split(' ').includes(table)))
  if (alone.length > 0) throw new Error(`The diagram has no relation of ${alone.join(', ')}.`)
  return ['```mermaid', 'erDiagram', ...lines.map((text) => `  ${text}`), '```'].join('\n')
}

function line(from: string, to: string, column: string, isOptional: boolean, most: 'one' | 'many'): string {
  return `${from} ${isOptional ? '|o' : '||'}--${most === 'many' ? 'o{' : 'o|'} ${to} : ${column}`
}
