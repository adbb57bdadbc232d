// Attacks each invariant by SQL: as the server's role, and as a careless administrator who owns the tables.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { connect, type Connection } from '../base/db.ts'
import type { Account } from './account.ts'

let world: LedgerWorld
let server: Connection
let owner: Connection
let voucher: Account
let merchant: Account
let closed: Account
let holdId: string
let journalId: string
let otherBookId: number

beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createLedgerWorld(database.url)
  server = await connect(database.url)
  owner = await connect(database.ownerUrl)
  otherBookId = (
    await owner.query<{ id: number }>(`insert into ledger_books (mode, currency) values ('live', 'USD') returning id`)
  ).rows[0]!.id
  voucher = await world.funded('voucher', 100n)
  merchant = await world.open('merchant')
  journalId = (await world.ledger.post(world.journal(world.move(voucher, merchant, 10n)))).journalId
  closed = await world.open('voucher')
  await owner.query(`update ledger_accounts set state = 'closed' where owner_id = $1`, [closed.ownerId])
  holdId = world.newId()
  const expiresAt = new Date(world.clock().getTime() + 60_000)
  await world.ledger.post(
    world.journal({ transfers: [], holds: [{ act: 'reserve', holdId, account: voucher, amount: 50n, expiresAt }] }),
  )
})
afterAll(async () => {
  await server.end()
  await owner.end()
  await world.close()
})

/** A journal with further statements in one transaction, as an attacker would write it by hand. */
const within = (...statements: string[]) => {
  const id = world.newId()
  const key = world.newId()
  const journal = `insert into ledger_journals values ('${id}', '${key}', '${key}', 'test.attack', 0, '2026-01-01')`
  return [journal, ...statements.map((statement) => statement.replaceAll('$journal', id))].join(';')
}
const transfer = (from: Account, to: Account, amount: string, { journal = '$journal', book = from.bookId } = {}) =>
  `insert into ledger_transfers values ('${journal}', 0, ${book}, '${from.kind}', '${to.kind}', '${from.ownerId}', '${to.ownerId}', ${amount})`
const holdMove = (act: string, amount: string, { journal = '$journal', hold = holdId } = {}) =>
  `insert into ledger_hold_moves values ('${journal}', 0, '${hold}', '${act}', ${amount})`
const account = (values: string) =>
  `insert into ledger_accounts (book_id, owner_id, kind, state, may_go_negative, balance, held) values (${values})`

const attacks: Record<string, () => string> = {
  // Transfers are balanced, positive and within one book.
  'a transfer of zero': () => within(transfer(voucher, merchant, '0')),
  'a negative transfer, which would pull money': () => within(transfer(merchant, voucher, '-5')),
  'a transfer to itself': () => within(transfer(voucher, voucher, '5')),
  'less than a unit': () => within(transfer(voucher, merchant, '0.4')),
  'a transfer in another book than its accounts': () => within(transfer(voucher, merchant, '5', { book: otherBookId })),
  'a transfer to an account of another mode': () =>
    within(
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values (${otherBookId}, '${world.newId()}', 'merchant', false)`,
      transfer(voucher, { ...merchant, ownerId: world.newId() }, '5'),
    ),
  'a transfer to a missing account': () => within(transfer(voucher, world.account('merchant'), '5')),
  'a transfer from a missing account': () => within(transfer(world.account('merchant'), merchant, '5')),
  'a transfer of what is no number': () => within(transfer(voucher, merchant, `'NaN'`)),
  'a transfer without an amount': () => within(transfer(voucher, merchant, 'null')),
  // Keys are registered by their journals, once.
  'a key that no journal has': () => `insert into ledger_keys values ('${world.newId()}', '${journalId}')`,
  'a key for another journal': () =>
    `update ledger_keys set journal_id = '${world.newId()}' where journal_id = '${journalId}'`,
  'a key that is free again': () => `delete from ledger_keys where journal_id = '${journalId}'`,
  'no keys at all': () => 'truncate ledger_keys',
  'a second journal with a key': () =>
    `insert into ledger_journals select '${world.newId()}', key_hash, key_hash, 'test.attack', 0, '2026-01-01'
      from ledger_journals where id = '${journalId}'`,
  // Balances cover transfers and holds.
  'a negative balance': () => within(transfer(merchant, voucher, '11')),
  'spending what is held': () => within(transfer(voucher, merchant, '41')),
  'holding more than there is': () => within(holdMove('reserve', '41')),
  'settling more than is held': () => within(holdMove('settle', '51')),
  'a hold of what is no number': () => within(holdMove('reserve', `'NaN'`)),
  'a hold move of zero': () => within(holdMove('release', '0')),
  'a hold move on no hold': () => within(holdMove('reserve', '1', { hold: world.newId() })),
  'a debit of an account that may not be debited': () =>
    `update ledger_accounts set state = 'no_debit' where owner_id = '${merchant.ownerId}'; ${within(transfer(merchant, voucher, '1'))}`,
  'opening what was closed': () => `update ledger_accounts set state = 'open' where owner_id = '${closed.ownerId}'`,
  'a hold on an account that is not there': () =>
    `insert into ledger_holds (id, book_id, owner_id, kind, expires_at)
      values ('${world.newId()}', 1, '${world.newId()}', 'voucher', '2030-01-01')`,
  'closing an account that is not empty': () =>
    `update ledger_accounts set state = 'closed' where owner_id = '${voucher.ownerId}'`,
  'an account that begins with money': () => account(`1, '${world.newId()}', 'voucher', 'open', false, 1000, 0`),
  'an account that begins with a hold': () => account(`1, '${world.newId()}', 'treasury', 'open', true, 0, 5`),
  'a voucher that may go negative': () =>
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values (1, '${world.newId()}', 'voucher', true)`,
  'a hold that begins with a remainder': () =>
    `insert into ledger_holds (id, book_id, owner_id, kind, expires_at, remaining)
      values ('${world.newId()}', 1, '${voucher.ownerId}', 'voucher', '2030-01-01', 5)`,
  // Journals are complete and immutable.
  'a transfer that belongs to no journal': () => transfer(voucher, merchant, '5', { journal: world.newId() }),
  'a transfer added to a journal of the past': () =>
    transfer(voucher, merchant, '5', { journal: journalId }).replace(`', 0,`, `', 9,`),
  'a hold move added to a journal of the past': () => holdMove('release', '5', { journal: journalId }),
  'the same key twice': () =>
    `insert into ledger_journals select '${world.newId()}', key_hash, fingerprint, kind, 0, posted_at from ledger_journals limit 1`,
  'editing a journal': () => `update ledger_journals set kind = 'x.y' where id = '${journalId}'`,
  'editing a transfer': () => `update ledger_transfers set amount = 1 where journal_id = '${journalId}'`,
  'turning a transfer round': () =>
    `update ledger_transfers set from_owner = to_owner, to_owner = from_owner where journal_id = '${journalId}'`,
  'editing a hold move': () => 'update ledger_hold_moves set amount = 1',
  'editing by merge':
    () => `merge into ledger_transfers t using (select '${journalId}'::uuid as id) s on t.journal_id = s.id
      when matched then update set amount = 1`,
  'editing by on conflict': () =>
    `insert into ledger_journals select id, key_hash, fingerprint, 'x.y', 0, posted_at from ledger_journals limit 1
      on conflict (id) do update set kind = excluded.kind`,
  'removing a journal': () => `delete from ledger_journals where id = '${journalId}'`,
  'removing a transfer': () => `delete from ledger_transfers where journal_id = '${journalId}'`,
  'removing a hold move': () => 'delete from ledger_hold_moves',
  'removing a hold': () => 'delete from ledger_holds',
  'removing an account': () => `delete from ledger_accounts where owner_id = '${merchant.ownerId}'`,
  'removing a book': () => 'delete from ledger_books',
  'emptying journals': () => 'truncate ledger_journals',
  'emptying transfers': () => 'truncate ledger_transfers',
  'emptying accounts': () => 'truncate ledger_accounts cascade',
  'emptying holds': () => 'truncate ledger_holds',
  'emptying hold moves': () => 'truncate ledger_hold_moves',
  'emptying books': () => 'truncate ledger_books cascade',
  // Balances change only by posting.
  'setting a balance': () => `update ledger_accounts set balance = balance + 1 where owner_id = '${voucher.ownerId}'`,
  'setting the held amount': () => `update ledger_accounts set held = 0 where owner_id = '${voucher.ownerId}'`,
  'letting an account go negative': () =>
    `update ledger_accounts set may_go_negative = true where owner_id = '${voucher.ownerId}'`,
  'giving an account to another owner': () =>
    `update ledger_accounts set owner_id = '${world.newId()}' where owner_id = '${merchant.ownerId}'`,
  'moving an account to another book': () =>
    `update ledger_accounts set book_id = ${otherBookId} where owner_id = '${merchant.ownerId}'`,
  'setting what a hold has left': () => 'update ledger_holds set remaining = 0',
  'prolonging a hold': () => `update ledger_holds set expires_at = '2099-01-01'`,
  'renaming a currency': () => `update ledger_books set currency = 'EUR'`,
}

const serverOnly: Record<string, string> = {
  'switching a trigger off': 'alter table ledger_transfers disable trigger all',
  'dropping a constraint': 'alter table ledger_accounts drop constraint ledger_accounts_covered',
  'dropping a table': 'drop table ledger_transfers cascade',
  'replacing the posting function':
    'create or replace function ledger_apply_transfers() returns trigger language plpgsql as $$ begin return null; end $$',
  'making a table of its own': 'create table mine (id int)',
  'skipping triggers': `set session_replication_role = 'replica'`,
  'becoming the owner': 'set role scrip_owner',
  'editing the outbox': `update ledger_outbox set payload = '{}'`,
  'editing the record of migrations': `delete from schema_migrations`,
}

async function attack(attacker: Connection, sql: string): Promise<string> {
  await attacker.query('begin')
  try {
    await attacker.query(sql)
    await attacker.query('commit')
    return 'accepted'
  } catch (error) {
    await attacker.query('rollback')
    return String((error as { code?: string }).code)
  }
}
// A check, not-null or unique constraint, one of our triggers, or a missing privilege. Not a mistake in the attack itself.
const refusals = /^(23514|23505|23502|23000|42501)$/

const snapshot = async (): Promise<unknown[]> => {
  const tables = ['books', 'accounts', 'journals', 'transfers', 'holds', 'hold_moves'].map((name) => `ledger_${name}`)
  return Promise.all(
    tables.map(async (table) => (await owner.query<{ t: string }>(`select t::text from ${table} t order by 1`)).rows),
  )
}

describe.each(Object.keys(attacks))('%s', (name) => {
  test.each(['server', 'owner'])('is refused for the %s and changes nothing', async (role) => {
    const before = await snapshot()
    expect(await attack(role === 'server' ? server : owner, attacks[name]!())).toMatch(refusals)
    expect(await snapshot()).toEqual(before)
    expect(await world.faults()).toEqual([])
  })
})

test.each(Object.entries(serverOnly))('the server may not do this: %s', async (_, sql) => {
  expect(await attack(server, sql)).toMatch(/^42501$/)
})

test("the server's role owns no table, function or schema", async () => {
  const { rows } = await owner.query(`
    select relname as name from pg_class where relowner = 'scrip_server'::regrole
    union all select proname from pg_proc where proowner = 'scrip_server'::regrole
    union all select nspname from pg_namespace where nspowner = 'scrip_server'::regrole`)
  expect(rows).toEqual([])
})

const anyAttack = fc.oneof(
  fc.constantFrom(...Object.keys(attacks)).map((name) => attacks[name]!),
  // Edits of any column of any row, to any value.
  fc
    .tuple(
      fc.constantFrom('ledger_journals', 'ledger_transfers', 'ledger_hold_moves'),
      fc.constantFrom('update', 'delete'),
      fc.constantFrom(`journal_id = '$id'`, 'true', `amount > $n`, 'position = 0'),
      fc.constantFrom('amount = $n', 'position = $n', `journal_id = '$id'`, 'amount = amount + $n'),
      fc.integer({ min: 0, max: 1_000_000 }),
    )
    .map(([table, verb, where, set, n]) => () => {
      const sql =
        verb === 'update' ? `update ${table} set ${set} where ${where}` : `delete from ${table} where ${where}`
      const named =
        table === 'ledger_journals'
          ? sql.replaceAll('journal_id', 'id').replaceAll(/amount|position/g, 'alternative')
          : sql
      return named.replaceAll('$n', String(n % 30_000)).replaceAll('$id', journalId)
    }),
  // Amounts above the balance, below zero, or in the wrong book.
  fc.bigInt({ min: 41n, max: 10n ** 70n }).map((n) => () => within(transfer(voucher, merchant, String(n)))),
  fc.bigInt({ min: 0n, max: 10n ** 70n }).map((n) => () => within(transfer(merchant, voucher, `-${n}`))),
  fc.integer({ min: 3, max: 30_000 }).map((book) => () => within(transfer(voucher, merchant, '1', { book }))),
)

test('refuses all of 1,000 random edits, deletions and unbalanced rows', async () => {
  const before = await snapshot()
  const codes: string[] = []
  for (const [i, sql] of fc.sample(anyAttack, 1_000).entries()) codes.push(await attack(i % 2 ? server : owner, sql()))
  expect(codes.filter((code) => !refusals.test(code))).toEqual([])
  expect(await snapshot()).toEqual(before)
})

test('a journal inserted by hand by the server moves balances as posting does', async () => {
  expect(await attack(server, within(transfer(voucher, merchant, '40')))).toBe('accepted')
  expect(await world.read(voucher)).toEqual({ balance: 50n, held: 50n })
  expect(await world.faults()).toEqual([])
})
