// The parts of the drill of people that pay out: one payout many times, and many payouts under one cap.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type ApiProcess, inTurn, type Line, withLines } from '../../server/local/api-process.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { joinMerchant } from '../../server/src/merchant/members.ts'
import { askOrThrow, type Merchant, server, toMajor } from '../voucher-lives/world.ts'
import { countOf, tally } from '../vouchers/world.ts'
import { addPerson, codeOf, connectAll, fund, type Person, pin, type World } from './world.ts'

type Payout = { readonly reference: string; readonly amount: bigint }

function payOut(merchant: Merchant, person: Person, { reference, amount }: Payout): string {
  return merchant.post(`${server}/payout`, {
    amount: toMajor(amount),
    fromCurrencyAbbreviation: 'USD',
    toCurrencyAbbreviation: 'USD',
    platformUsernameOrEmail: person.email,
    referenceId: reference,
  })
}

const clientsEach = 4
const crossingEach = 4
const changedEvery = 10

/** One payout, asked for again and again at both processes while both are killed. */
export async function replayAcrossKills(world: World): Promise<void> {
  const { apis, report, books, isShort } = world
  const plan = isShort ? { replaysEach: 50, killsEach: 2 } : { replaysEach: 500, killsEach: 5 }
  const [merchant, person] = [await world.openMerchant('REPLAYED'), await addPerson(world, 'test')]
  await withLines(apis, 1, ([line]) => fund(world, line, merchant, 10_000_00n))
  const payout: Payout = { reference: 'payout', amount: 12_34n }
  const again: Record<string, number> = { 'cut off': 0, refused: 0, unavailable: 0 }
  let isPaid = false

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
  const notePaid = ({ status, body }: Answer, { reference, amount }: Payout): void => {
    report.expect(status === 200, `${reference} was answered ${status} ${body}`)
    if (status === 200) books.notePayout(merchant.environmentId, person.id, amount)
  }
  const replay = async (line: Line, i: number): Promise<void> => {
    // Before the first answer a changed one could be the first, and then it would be right to pay that.
    if (isPaid && i % changedEvery === 0) {
      const changed = { ...payout, amount: payout.amount + 1n }
      const answer = await askUntilAnswered(line, payOut(merchant, person, changed))
      const seen = `${answer.status} ${codeOf(answer)}`
      report.expect(seen === '409 REFERENCE_TAKEN', `a changed amount was answered ${seen}`)
    }
    const answer = await askUntilAnswered(line, payOut(merchant, person, payout))
    report.replays++
    if (answer.status === 200 && isPaid) return
    isPaid ||= answer.status === 200
    notePaid(answer, payout)
  }
  const drill = (api: ApiProcess, name: string): Promise<void> =>
    withLines([api], clientsEach + crossingEach, async (lines) => {
      let done = 0
      const replaying = inTurn(lines.slice(0, clientsEach), plan.replaysEach, async (line, i) => {
        await replay(line, i)
        done++
      })
      const kill = async (number: number): Promise<void> => {
        while (done < (number * plan.replaysEach) / (plan.killsEach + 1)) await sleep(5)
        // A replay is only read. These are written when the process dies, or not.
        const crossing = lines.slice(clientsEach).map(async (line, i) => {
          const one = { reference: `crossing-${name}-${number}-${i}`, amount: 1_00n + BigInt(i) }
          notePaid(await askUntilAnswered(line, payOut(merchant, person, one)), one)
        })
        await sleep(40 * Math.random())
        await api.crash()
        report.kills++
        await Promise.all(crossing)
      }
      for (let number = 1; number <= plan.killsEach; number++) await kill(number)
      await replaying
    })
  await Promise.all(apis.map((api, i) => drill(api, String(i))))
  console.log('  asked again', again)
  report.expect(again['cut off'] !== 0, 'no kill cut a request off, so nothing was proved')
}

/** 100 payouts at once under a cap that has room for ten. Another merchant each time, whose day is as new. */
export async function payUnderCap(world: World): Promise<void> {
  const { pool, apis, report, books, isShort } = world
  const [owner, person] = [await addPerson(world, 'staff'), await addPerson(world, 'test')]
  await withLines(apis, 100, async (lines) => {
    await connectAll(lines)
    for (let round = 0; round < (isShort ? 2 : 10); round++) {
      const merchant = await world.openMerchant(`CAPPED${round}`)
      await fund(world, lines[0], merchant, 1_000_00n)
      await makeOwner(pool, owner, merchant)
      // To the cent, or with something left that is not enough for another one.
      const limits = { currency: 'USD', daily: round % 2 === 0 ? '10.00' : '10.99', pin }
      const asOwner = [`Scrip-Merchant: ${merchant.code}`, 'Scrip-Mode: test']
      await askOrThrow(lines[0], owner.post('/merchant/payout-limits', limits, asOwner))
      const answers = await Promise.all(
        lines.map(async (line, i) => {
          const answer = await line.ask(payOut(merchant, person, { reference: `capped-${i}`, amount: 1_00n }))
          if (answer.status === 200) books.notePayout(merchant.environmentId, person.id, 1_00n)
          return answer
        }),
      )
      const refused = answers.filter((answer) => codeOf(answer) === 'OUTFLOW_ABOVE_DAILY').length
      report.capped += refused
      const isRight = countOf(answers, 200) === 10 && refused === 90
      report.expect(isRight, `a cap with room for 10 of 100 was answered ${tally(answers)}`)
    }
  })
}

async function makeOwner(pool: Pool, { id }: Person, { environmentId }: Merchant): Promise<void> {
  const { rows } = await pool.query<{ merchantId: string }>(
    'select merchant_id as "merchantId" from merchant_environments where id = $1',
    [environmentId],
  )
  const merchantId = rows[0]?.merchantId ?? ''
  await inTransaction(pool, (tx) => joinMerchant(tx, id, merchantId, 'owner', systemClock()))
}
