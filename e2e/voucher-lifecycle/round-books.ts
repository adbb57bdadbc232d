// Compares the database with the responses of a round, transfer by transfer and to the cent.
import { type Done, voucherValue } from './acts.ts'
import { type RoundLog, readLog } from './round-log.ts'
import { checkResponses, checkOrder } from './round-order.ts'
import type { World } from './world.ts'

/** Balances by account name. */
type Balances = ReadonlyMap<string, bigint>
type Move = {
  readonly journal: string
  readonly kind: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** The balances and fees of both merchants. */
export async function readBalances({ pool, a, b }: World): Promise<Balances> {
  const { rows } = await pool.query<{ name: string; balance: bigint }>(
    `select owner_id || '/' || kind as name, balance from ledger_accounts
      where owner_id = any($1::uuid[]) and kind in ('merchant', 'fee')`,
    [[a.environmentId, b.environmentId]],
  )
  return new Map(rows.map(({ name, balance }) => [name, balance]))
}

/** One line for each fault. */
export async function checkRound(
  world: World,
  number: number,
  log: readonly Done[],
  before: Balances,
): Promise<string[]> {
  const payer = `${world.a.environmentId}/merchant`
  const round = readLog(world, log)
  const found = await readMoves(world, round)
  const refunds = found.filter(({ kind }) => kind === 'voucher.refund')
  const targets = new Map(refunds.map(({ journal, to }) => [journal, to]))
  const { moves, left } = expectMoves(round, found, targets, payer)
  return [
    ...round.faults,
    ...checkResponses(log, round),
    ...checkOrder(round, targets, payer),
    ...(await checkSales(world, `storm-${number}-%`, round)),
    ...compare('transfers', moves.map(describeMove), found.map(describeMove)),
    ...(await checkVouchers(world, round, left)),
    ...checkBalances(before, await readBalances(world), moves),
  ]
}

async function readMoves({ pool }: World, { voucherIds, refunds }: RoundLog): Promise<Move[]> {
  const { rows } = await pool.query<Move>(
    `select t.journal_id as journal, coalesce(j.kind, 'no journal') as kind, t.from_owner || '/' || t.from_kind as from,
        t.to_owner || '/' || t.to_kind as to, t.amount
      from ledger_transfers t left join ledger_journals j on j.id = t.journal_id
      where t.from_owner = any($1::uuid[]) or t.to_owner = any($1::uuid[]) or t.journal_id = any($2::uuid[])`,
    [voucherIds, [...refunds.values()].map(({ id }) => id)],
  )
  return rows
}

/**
 * Every transfer that must exist according to the responses, and the rest on each voucher. The database is read only for
 * the target of a refund, which is checked separately, and for the journal ID of a cancel, which no response contains.
 */
function expectMoves(
  { voucherIds, redemptions, refunds, cancels, replacements }: RoundLog,
  found: readonly Move[],
  targets: ReadonlyMap<string, string>,
  payer: string,
): { moves: Move[]; left: ReadonlyMap<string, bigint> } {
  const [first] = voucherIds
  const moves: Move[] = [
    { journal: first, kind: 'voucher.issue', from: payer, to: `${first}/voucher`, amount: voucherValue },
  ]
  for (const { id: journal, environmentId, voucher, amount, charge } of redemptions.values()) {
    const sale = { journal, kind: 'voucher.redeem', from: `${voucher}/voucher` }
    moves.push({ ...sale, to: `${environmentId}/merchant`, amount })
    // The last cent of a voucher has no fee.
    if (charge > 0n) moves.push({ ...sale, to: `${environmentId}/fee`, amount: charge })
  }
  for (const { id: journal, environmentId, amount } of refunds.values()) {
    const to = targets.get(journal) ?? 'nowhere'
    moves.push({ journal, kind: 'voucher.refund', from: `${environmentId}/merchant`, to, amount })
  }
  for (const [old, { id: journal, amount }] of replacements)
    moves.push({ journal, kind: 'voucher.replacement', from: `${old}/voucher`, to: `${journal}/voucher`, amount })
  const left = new Map(voucherIds.map((id) => [id, sumOf(moves, `${id}/voucher`)]))
  for (const id of cancels.keys()) {
    const amount = left.get(id) ?? 0n
    const from = `${id}/voucher`
    const cancel = found.find((move) => move.kind === 'voucher.cancel' && move.from === from)
    if (amount !== 0n) moves.push({ journal: cancel?.journal ?? '', kind: 'voucher.cancel', from, to: payer, amount })
    left.set(id, 0n)
  }
  return { moves, left }
}

/** Each redemption and each refund is in every table once, as in its response. */
async function checkSales(
  { pool }: World,
  pattern: string,
  { voucherIds, redemptions, refunds }: RoundLog,
): Promise<string[]> {
  const read = async (query: string, values: readonly unknown[]): Promise<string[]> =>
    (await pool.query<{ line: string }>(query, [...values])).rows.map(({ line }) => line)
  const faults: string[] = []
  const sold = [...redemptions].map(([reference, { id, environmentId, voucher, amount, charge }]) => {
    const parts = [...refunds.values()].filter(({ of }) => of === reference)
    const refunded = parts.reduce((sum, part) => sum + part.amount, 0n)
    if (refunded > amount) faults.push(`${refunded} of ${amount} were refunded for ${reference}`)
    const status = refunded === amount ? 'REFUNDED' : 'COMPLETED'
    return [environmentId, id, reference, voucher, amount, charge, refunded, status].join(' ')
  })
  const found = await read(
    `select concat_ws(' ', t.environment_id, t.id, t.reference, r.voucher_id, t.amount, r.charge, t.refunded, t.status) as line
      from transactions t left join redemptions r on r.id = t.id and r.voucher_id = any($2::uuid[])
      where t.type = 'VOUCHER_REDEMPTION' and t.reference like $1`,
    [pattern, voucherIds],
  )
  const acknowledgedRefunds = [...refunds].map(([reference, { id, environmentId, of, amount }]) =>
    [environmentId, id, reference, amount, redemptions.get(of)?.id].join(' '),
  )
  const foundRefunds = await read(
    `select concat_ws(' ', t.environment_id, t.id, t.reference, t.amount, m.redemption_id) as line
      from transactions t left join voucher_moves m on m.id = t.id and m.kind = 'refund' and m.amount = t.amount
      where t.type = 'REFUND' and t.reference like $1`,
    [pattern],
  )
  const events = [...redemptions, ...refunds].map(([reference, { id }]) => `${id} ${reference}`)
  const foundEvents = await read(
    `select concat_ws(' ', payload ->> 'transactionId', payload ->> 'reference') as line from ledger_outbox
      where type in ('voucher.redeemed', 'refund.completed') and payload ->> 'reference' like $1`,
    [pattern],
  )
  const rows = await read('select id::text as line from redemptions where voucher_id = any($1::uuid[])', [voucherIds])
  const ids = [...redemptions.values()].map(({ id }) => id)
  faults.push(...compare('redemptions', sold, found), ...compare('refunds', acknowledgedRefunds, foundRefunds))
  return [...faults, ...compare('events', events, foundEvents), ...compare('rows of redemptions', ids, rows)]
}

/** Cancelled and replaced vouchers are closed and empty. Other vouchers have the balance that follows from the responses. */
async function checkVouchers(
  { pool }: World,
  { voucherIds, cancels, replacements }: RoundLog,
  left: Balances,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; balance: bigint; isClosed: boolean }>(
    `select owner_id as id, balance, state = 'closed' as "isClosed" from ledger_accounts
      where owner_id = any($1::uuid[]) and kind = 'voucher'`,
    [voucherIds],
  )
  const found = rows.map(({ id, balance, isClosed }) => `${id} ${balance} ${isClosed}`)
  const expected = voucherIds.map((id) => `${id} ${left.get(id)} ${cancels.has(id) || replacements.has(id)}`)
  return compare('vouchers', expected, found)
}

function checkBalances(before: Balances, after: Balances, moves: readonly Move[]): string[] {
  return [...after].flatMap(([name, balance]) => {
    const expected = (before.get(name) ?? 0n) + sumOf(moves, name)
    return balance === expected ? [] : [`account ${name} has ${balance}, expected ${expected}`]
  })
}

function sumOf(moves: readonly Move[], name: string): bigint {
  return moves.reduce(
    (sum, { from, to, amount }) => sum + (to === name ? amount : 0n) - (from === name ? amount : 0n),
    0n,
  )
}

function describeMove({ journal, kind, from, to, amount }: Move): string {
  return `${kind} ${journal} ${from} > ${to} ${amount}`
}

/** Nothing is missing, nothing is doubled, and there is nothing that no response mentions. */
function compare(name: string, acknowledged: readonly string[], found: readonly string[]): string[] {
  const [one, other] = [acknowledged.toSorted(), found.toSorted()]
  if (one.join('\n') === other.join('\n')) return []
  const missing = one.filter((line) => !other.includes(line))
  const extra = other.filter((line) => !one.includes(line))
  const counts = `${acknowledged.length} ${name} were acknowledged, ${found.length} exist`
  return [`${counts}; missing: ${missing.slice(0, 3).join('; ')}; unexpected: ${extra.slice(0, 3).join('; ')}`]
}
