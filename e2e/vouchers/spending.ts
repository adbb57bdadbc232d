// The parts of the voucher drill that try to spend twice.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type HttpResponse,
  distribute,
  type Connection,
  type Connections,
  withConnections,
} from '../../server/local/drill/api-process.ts'
import { countOf, readBalance, type Redemption, tally, type Voucher, type World } from './world.ts'

// More than its redemptions and their fees, so that the rest is checked too.
const voucherValue = 100_00n
const partsPerVoucher = 20
const copies = 5
const atOnce = 16

/** 200 redemptions at once, at both processes, of vouchers with money for one. */
export async function spendTwice({ pool, apis, shop, report, isShort }: World): Promise<void> {
  const rounds = isShort ? 5 : 100
  await withConnections(apis, 200, async (connections) => {
    for (let round = 0; round < rounds; round++) {
      const voucher = await shop.makeVoucher(connections[0], takenFor(1_00n))
      const responses = await Promise.all(
        connections.map(async (connection, i) => {
          const redemption = { reference: `race-${round}-${i}`, voucher, amount: 1_00n }
          const response = await connection.send(shop.redeem(redemption))
          if (response.status === 200) report.notePaid(redemption, response)
          return response
        }),
      )
      const paid = countOf(responses, 200)
      const left = await readBalance(pool, voucher.id, 'voucher')
      if (paid > 1 || left !== 0n) report.overRedeemed++
      const isRight = paid === 1 && countOf(responses, 402) === connections.length - 1 && left === 0n
      report.expect(isRight, `round ${round} left ${left} and got ${tally(responses)}`)
    }
  })
}

/** Sends each operation five times at once, to both processes, while these are killed in turn. */
export async function repeatAcrossKills(world: World): Promise<void> {
  const { apis, shop, report, isShort } = world
  const plan = isShort ? { operations: 300, kills: 2, changed: 50 } : { operations: 10_000, kills: 10, changed: 1_000 }
  const responses = new Map<Redemption, HttpResponse[]>()
  const retries: Record<string, number> = { 'cut off': 0, refused: 0, unavailable: 0 }

  /** Retries until there is a response, as a shop would. */
  const sendUntilAnswered = async (connection: Connection, request: string): Promise<HttpResponse> => {
    for (;;) {
      const response = await connection.send(request).catch((error: unknown) => error as Error)
      if (!(response instanceof Error) && response.status !== 503) return response
      const why = response instanceof Error ? response.message : 'unavailable'
      retries[why] = (retries[why] ?? 0) + 1
      await sleep(20)
    }
  }
  const killInTurn = async (): Promise<void> => {
    for (let kills = 1; kills <= plan.kills; kills++) {
      while (responses.size < (kills * plan.operations) / (plan.kills + 1)) await sleep(20 * Math.random())
      await apis[kills % 2 === 0 ? 0 : 1].crash()
      console.log(`  kill ${kills} of ${plan.kills}, ${responses.size} operations done`)
    }
  }
  await withConnections(apis, atOnce * copies, async (connections) => {
    const operations = await planOperations(world, connections, plan.operations)
    // Adjacent connections go to different processes.
    const groups = Array.from({ length: atOnce }, (_, i) => connections.slice(i * copies, (i + 1) * copies))
    const sending = distribute(groups, operations.length, async (group, i) => {
      const operation = operations[i] as Redemption
      const request = shop.redeem(operation)
      responses.set(operation, await Promise.all(group.map((connection) => sendUntilAnswered(connection, request))))
    })
    await Promise.all([sending, killInTurn()])
    console.log('  retries', retries)
    report.expect(retries['cut off'] !== 0, 'no kill interrupted a request, so the drill proves nothing')

    await distribute(connections, operations.length, async (connection, i) => {
      const operation = operations[i] as Redemption
      responses.get(operation)?.push(await sendUntilAnswered(connection, shop.redeem(operation)))
    })
    const changed: HttpResponse[] = []
    await distribute(connections, plan.changed, async (connection, i) => {
      const operation = operations[i] as Redemption
      const request = shop.redeem({ ...operation, amount: operation.amount + 1n })
      changed.push(await sendUntilAnswered(connection, request))
    })
    report.expect(countOf(changed, 409) === plan.changed, `changed bodies got ${tally(changed)}`)
  })
  for (const [operation, all] of responses) {
    const [first] = all as [HttpResponse]
    if (all.some(({ status, body }) => status !== 200 || body !== first.body)) report.replaysDiffering++
    if (first.status === 200) report.notePaid(operation, first)
  }
  report.expect(report.replaysDiffering === 0, `${report.replaysDiffering} operations got different responses`)
  await checkBooks(world)
}

async function planOperations({ shop }: World, connections: Connections, count: number): Promise<Redemption[]> {
  const vouchers: Voucher[] = []
  await distribute(connections, count / partsPerVoucher, async (connection, i) => {
    vouchers[i] = await shop.makeVoucher(connection, voucherValue)
  })
  return Array.from({ length: count }, (_, i) => ({
    reference: `order-${i}`,
    voucher: vouchers[Math.floor(i / partsPerVoucher)] as Voucher,
    amount: 1_00n + BigInt((i * 7919) % 300),
  }))
}

/** Compares the database with the acknowledged redemptions to the cent: nothing is missing or doubled. */
async function checkBooks({ pool, shop, report }: World): Promise<void> {
  const acknowledged = report.paid.map(({ transactionId, reference }) => `${transactionId} ${reference}`).sort()
  for (const [name, query] of [
    ['transactions', 'select id, reference from transactions'],
    ['redemptions', 'select r.id, t.reference from redemptions r left join transactions t using (id)'],
    [
      'journals',
      `select j.id, t.reference from ledger_journals j left join transactions t using (id) where kind = 'voucher.redeem'`,
    ],
    [
      'events',
      `select payload ->> 'transactionId' as id, payload ->> 'reference' as reference from ledger_outbox
       where type = 'voucher.redeemed'`,
    ],
  ] as const) {
    const { rows } = await pool.query<{ id: string; reference: string | null }>(query)
    const found = rows.map(({ id, reference }) => `${id} ${reference}`).sort()
    report.expect(
      acknowledged.join() === found.join(),
      `${acknowledged.length} redemptions were acknowledged, but there are ${found.length} ${name}`,
    )
  }
  const left = new Map<string, bigint>()
  for (const { voucher, amount } of report.paid)
    left.set(voucher.id, (left.get(voucher.id) ?? voucher.value) - takenFor(amount))
  for (const [id, expected] of left) {
    const balance = await readBalance(pool, id, 'voucher')
    report.expect(balance === expected, `voucher ${id} has ${balance}, not ${expected}`)
  }
  const earned = report.paid.reduce((sum, { amount }) => sum + amount, 0n)
  const balance = await readBalance(pool, shop.environmentId, 'merchant')
  report.expect(balance === earned, `the merchant has ${balance}, not ${earned}`)
}

/** What a redemption takes from its voucher: the amount, 0.10, and 1.5 % of the amount, rounded up. */
function takenFor(amount: bigint): bigint {
  return amount + 10n + (amount * 15_000n + 999_999n) / 1_000_000n
}
