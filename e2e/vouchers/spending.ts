// The parts of the drill of vouchers that try to spend twice.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, inTurn, type Line, type Lines, withLines } from '../../server/local/api-process.ts'
import { countOf, readBalance, type Redemption, tally, type Voucher, type World } from './world.ts'

// More than its parts and their charges come to: what is left is checked too.
const voucherValue = 100_00n
const partsPerVoucher = 20
const copies = 5
const atOnce = 16

/** 200 redemptions at once, to both processes, of vouchers that have enough for one. */
export async function spendTwice({ pool, apis, shop, report, isShort }: World): Promise<void> {
  const rounds = isShort ? 5 : 100
  await withLines(apis, 200, async (lines) => {
    for (let round = 0; round < rounds; round++) {
      const voucher = await shop.makeVoucher(lines[0], takenFor(1_00n))
      const answers = await Promise.all(
        lines.map(async (line, i) => {
          const redemption = { reference: `race-${round}-${i}`, voucher, amount: 1_00n }
          const answer = await line.ask(shop.redeem(redemption))
          if (answer.status === 200) report.notePaid(redemption, answer)
          return answer
        }),
      )
      const paid = countOf(answers, 200)
      const left = await readBalance(pool, voucher.id, 'voucher')
      if (paid > 1 || left !== 0n) report.overRedeemed++
      const isRight = paid === 1 && countOf(answers, 402) === lines.length - 1 && left === 0n
      report.expect(isRight, `round ${round} left ${left} and was answered ${tally(answers)}`)
    }
  })
}

/** Operations that are each sent five times at once, to both processes, while these are killed in turn. */
export async function repeatAcrossKills(world: World): Promise<void> {
  const { apis, shop, report, isShort } = world
  const plan = isShort ? { operations: 300, kills: 2, changed: 50 } : { operations: 10_000, kills: 10, changed: 1_000 }
  const answers = new Map<Redemption, Answer[]>()
  const again: Record<string, number> = { 'cut off': 0, refused: 0, unavailable: 0 }

  /** Whoever got no answer asks again, as a shop would. */
  const askUntilAnswered = async (line: Line, request: string): Promise<Answer> => {
    for (;;) {
      const answer = await line.ask(request).catch((error: unknown) => error as Error)
      if (!(answer instanceof Error) && answer.status !== 503) return answer
      const why = answer instanceof Error ? answer.message : 'unavailable'
      again[why] = (again[why] ?? 0) + 1
      await sleep(20)
    }
  }
  const killInTurn = async (): Promise<void> => {
    for (let kills = 1; kills <= plan.kills; kills++) {
      while (answers.size < (kills * plan.operations) / (plan.kills + 1)) await sleep(20 * Math.random())
      await apis[kills % 2 === 0 ? 0 : 1].crash()
      console.log(`  kill ${kills} of ${plan.kills}, ${answers.size} operations done`)
    }
  }
  await withLines(apis, atOnce * copies, async (lines) => {
    const operations = await planOperations(world, lines, plan.operations)
    // Neighbours are lines to different processes.
    const groups = Array.from({ length: atOnce }, (_, i) => lines.slice(i * copies, (i + 1) * copies))
    const asking = inTurn(groups, operations.length, async (group, i) => {
      const operation = operations[i] as Redemption
      const request = shop.redeem(operation)
      answers.set(operation, await Promise.all(group.map((line) => askUntilAnswered(line, request))))
    })
    await Promise.all([asking, killInTurn()])
    console.log('  asked again', again)
    report.expect(again['cut off'] !== 0, 'no kill cut a request off, so nothing was proved')

    await inTurn(lines, operations.length, async (line, i) => {
      const operation = operations[i] as Redemption
      answers.get(operation)?.push(await askUntilAnswered(line, shop.redeem(operation)))
    })
    const changed: Answer[] = []
    await inTurn(lines, plan.changed, async (line, i) => {
      const operation = operations[i] as Redemption
      const request = shop.redeem({ ...operation, amount: operation.amount + 1n })
      changed.push(await askUntilAnswered(line, request))
    })
    report.expect(countOf(changed, 409) === plan.changed, `changed bodies were answered ${tally(changed)}`)
  })
  for (const [operation, all] of answers) {
    const [first] = all as [Answer]
    if (all.some(({ status, body }) => status !== 200 || body !== first.body)) report.replaysDiffering++
    if (first.status === 200) report.notePaid(operation, first)
  }
  report.expect(report.replaysDiffering === 0, `${report.replaysDiffering} operations were not answered alike`)
  await checkBooks(world)
}

async function planOperations({ shop }: World, lines: Lines, count: number): Promise<Redemption[]> {
  const vouchers: Voucher[] = []
  await inTurn(lines, count / partsPerVoucher, async (line, i) => {
    vouchers[i] = await shop.makeVoucher(line, voucherValue)
  })
  return Array.from({ length: count }, (_, i) => ({
    reference: `order-${i}`,
    voucher: vouchers[Math.floor(i / partsPerVoucher)] as Voucher,
    amount: 1_00n + BigInt((i * 7919) % 300),
  }))
}

/** Holds the database against what the client was told, to the cent: nothing is missing and nothing is there twice. */
async function checkBooks({ pool, shop, report }: World): Promise<void> {
  const told = report.paid.map(({ transactionId, reference }) => `${transactionId} ${reference}`).sort()
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
    report.expect(told.join() === found.join(), `${told.length} were told to be paid; of ${name} are ${found.length}`)
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

/** What a redemption takes from its voucher: the amount, 0.10, and 1.5 % of it rounded up. */
function takenFor(amount: bigint): bigint {
  return amount + 10n + (amount * 15_000n + 999_999n) / 1_000_000n
}
