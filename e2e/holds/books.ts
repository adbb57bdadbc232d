// Compares the database with the responses that the clients of the holds drill got.
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { compareWith } from '../steady-load.ts'
import type { World } from './world.ts'

// Jobs end holds every 2 s and release them in the ledger every 5 s; failed items rest for up to a minute.
const settleTimeoutMs = 90_000

/** Waits until the workers have ended what is over. Whatever is held afterwards is stranded. */
export async function settle({ pool, report }: World): Promise<void> {
  const count = async (): Promise<number> => {
    const { rows } = await pool.query<{ open: bigint }>(
      `select (select count(*) from voucher_holds where state = 'OPEN')
         + (select count(*) from ledger_holds where remaining > 0)
         + (select count(*) from ledger_accounts where held <> 0)
         + (select count(*) from vouchers v join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher'
            where v.expires_at <= $1 and a.balance <> 0) as open`,
      [new Date()],
    )
    return Number(rows[0]?.open)
  }
  const untilMs = performance.now() + settleTimeoutMs
  while ((await count()) > 0 && performance.now() < untilMs) await sleep(250)
  report.stranded = await count()
  report.expect(report.stranded === 0, `${report.stranded} holds, accounts or expired vouchers are stranded`)
}

export async function checkBooks(world: World): Promise<void> {
  const { pool, shop, report, apis, worker } = world
  const captures = report.holds.flatMap((hold) => hold.captures)
  const compared = await compareWith(pool, shop, [...report.redemptions, ...captures])
  Object.assign(report, compared)
  for (const [name, number] of Object.entries(compared)) report.expect(number === 0, `${number} payments are ${name}`)

  const stored = await pool.query<{ id: string; amount: bigint; isOver: boolean }>(
    `select h.id, h.amount, coalesce(sum(r.amount) > h.amount or sum(r.charge) > h.charge, false)
        or h.captured <> coalesce(sum(r.amount), 0) or h.captured_charge <> coalesce(sum(r.charge), 0)
        or (h.captured = h.amount and h.captured_charge <> h.charge) as "isOver"
      from voucher_holds h left join voucher_hold_captures c on c.environment_id = h.environment_id and c.hold_id = h.id
        left join redemptions r on r.id = c.id and r.voucher_id = h.voucher_id
      group by h.environment_id, h.id`,
  )
  const known = new Map(report.holds.map((hold) => [hold.id, hold]))
  const overKnown = report.holds.filter(
    ({ amount, captures: of }) => of.reduce((sum, each) => sum + each.amount, 0n) > amount,
  )
  report.overCaptured = overKnown.length + stored.rows.filter(({ isOver }) => isOver).length
  report.expect(report.overCaptured === 0, `${report.overCaptured} holds are captured above what they reserved`)
  const isSame =
    stored.rows.length === known.size && stored.rows.every(({ id, amount }) => known.get(id)?.amount === amount)
  report.expect(isSame, `${stored.rows.length} holds are stored, ${known.size} were acknowledged`)
  const moved = await pool.query<{ id: string }>(
    `select v.id from vouchers v join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher'
      where v.replaced_by is not null and (a.balance <> 0 or a.held <> 0)`,
  )
  report.expect(moved.rows.length === 0, `${moved.rows.length} replaced vouchers have a balance`)
  report.faults.push(...(await verifyLedger(pool)))
  for (const { logs } of [...apis, worker])
    report.expect(logs() === '', `a process logged errors: ${logs().slice(0, 2_000)}`)
}
