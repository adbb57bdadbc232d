// Checks in the database that a batch was paid for once and has each of its vouchers once.
import type { Connection } from '../../server/local/drill/api-process.ts'
import { send, readBalance, server, takenFor, type World } from './world.ts'

export type Made = {
  readonly id: string
  readonly size: number
  readonly reference: string
  /** By the voucher's number, from 1. For an import only. */
  readonly codeOf: (number: number) => string | undefined
  readonly amountOf: (number: number) => bigint
  readonly pinOf: (number: number) => string | undefined
}

const samples = 50

/** How often the merchant has paid for a batch. */
export async function countPayments({ pool, a }: World): Promise<number> {
  const { rows } = await pool.query(
    `select from ledger_transfers where from_owner = $1 and from_kind = 'merchant' and to_kind = 'batch'`,
    [a.environmentId],
  )
  return rows.length
}

/** Checks a batch to the cent before any redemption, and returns the number of its vouchers. */
export async function checkBatch(world: World, made: Made, balanceBefore: bigint): Promise<number> {
  const { pool, a, report } = world
  const { id, size, reference, amountOf } = made
  const name = reference
  const { rows } = await pool.query<{ number: number; balance: bigint; state: string; hash: string }>(
    `select v.batch_number as number, a.balance, a.state, v.code_hash as hash
      from vouchers v join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher'
      where v.batch_id = $1 order by v.batch_number`,
    [id],
  )
  report.expect(rows.length === size, `${name} has ${rows.length} of ${size} vouchers`)
  report.expect(new Set(rows.map(({ hash }) => hash)).size === size, `${name} has a code twice`)
  const wrong = rows.filter(
    ({ number, balance, state }, i) => number !== i + 1 || balance !== amountOf(number) || state !== 'open',
  )
  report.expect(wrong.length === 0, `${name} has ${wrong.length} wrong vouchers, first number ${wrong[0]?.number}`)

  const total = Array.from({ length: size }, (_, i) => amountOf(i + 1)).reduce((sum, amount) => sum + amount, 0n)
  const balance = await readBalance(pool, a.environmentId, 'merchant')
  report.expect(balance === balanceBefore - total, `${name}: the merchant has ${balance}, before ${balanceBefore}`)
  report.expect((await readBalance(pool, id, 'batch')) === 0n, `the account of ${name} is not empty`)
  await checkJournals(world, made, total)
  return rows.length
}

async function checkJournals({ pool, report }: World, { id, size, reference }: Made, total: bigint): Promise<void> {
  const { rows: moves } = await pool.query<{ move: string }>(
    `select format('%s %s %s', j.kind, count(*), sum(t.amount)) as move
      from ledger_transfers t left join ledger_journals j on j.id = t.journal_id
      where $1 in (t.from_owner, t.to_owner) group by j.kind order by j.kind`,
    [id],
  )
  const found = moves.map(({ move }) => move).join(', ')
  const expected = `voucher.batch 1 ${total}, voucher.issue ${size} ${total}`
  report.expect(found === expected, `${reference} was posted as ${found}, not ${expected}`)

  const { rows: published } = await pool.query<{ type: string }>(
    `select type from ledger_outbox where payload ->> 'batchId' = $1 order by id`,
    [id],
  )
  const events = published.map(({ type }) => type).join()
  report.expect(events === 'voucher_batch.paid,voucher_batch.ready', `${reference} published ${events}`)
  const { rows: bought } = await pool.query<{ amount: bigint }>(
    `select amount from transactions where reference = $1 and type = 'VOUCHER_PURCHASE'`,
    [reference],
  )
  report.expect(bought.length === 1 && bought[0]?.amount === total, `${reference} has ${bought.length} transactions`)
}

/** Exports the codes, and redeems a part of some vouchers through the API. */
export async function redeemSome(
  world: World,
  connection: Connection,
  { id, size, reference, codeOf, pinOf }: Made,
): Promise<void> {
  const { pool, a, report } = world
  const { status, body } = await connection.send(a.get(`${server}/voucher-batches/${id}/vouchers.csv`))
  const [, ...rows] = body.trimEnd().split('\r\n')
  const listed = rows.map((row) => row.split(','))
  const numbers = listed.map(([number]) => number).join()
  const isComplete = numbers === Array.from({ length: size }, (_, i) => i + 1).join()
  report.expect(status === 200 && isComplete, `the list of ${reference} does not have every number once`)
  const codes = new Set(listed.map(([, code]) => code))
  report.expect(codes.size === size, `the list of ${reference} has ${codes.size} codes`)
  const changed = listed.filter(([number, code]) => (codeOf(Number(number)) ?? code) !== code)
  report.expect(
    changed.length === 0,
    `${changed.length} codes of ${reference} are listed differently, such as ${changed[0]?.[1]}`,
  )

  const before = await readValue(world, id)
  const refused: string[] = []
  for (let i = 0; i < samples; i++) {
    const number = 1 + Math.floor((i * size) / samples) + (i % Math.floor(size / samples))
    const voucherCode = listed[number - 1]?.[1]
    const request = { voucherCode, amount: '0.50', lockPin: pinOf(number), referenceId: `${reference}-${number}` }
    const { status: code, error } = await send(connection, a.post('/merchant-integrations/redeem-voucher', request))
    if (code !== 200) refused.push(`${number} ${error}`)
  }
  report.expect(
    refused.length === 0,
    `${refused.length} vouchers of ${reference} did not redeem, such as ${refused[0]}`,
  )
  const taken = before - (await readValue(world, id))
  report.expect(
    taken === takenFor(50n) * BigInt(samples),
    `${samples} redemptions of ${reference} took ${taken} in total`,
  )
  const { rows: paid } = await pool.query('select from transactions where reference like $1', [`${reference}-%`])
  report.expect(paid.length === samples, `${reference} has ${paid.length} redemptions`)
}

/** The total balance of a batch's vouchers. */
async function readValue({ pool }: World, batchId: string): Promise<bigint> {
  const { rows } = await pool.query<{ value: bigint }>(
    `select coalesce(sum(a.balance), 0) as value from ledger_accounts a
      join vouchers v on v.id = a.owner_id and a.kind = 'voucher' where v.batch_id = $1`,
    [batchId],
  )
  return rows[0]?.value ?? 0n
}
