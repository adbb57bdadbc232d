// The parts of the people drill that pay out: one payout many times, and many payouts under one cap.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type HttpResponse,
  type ApiProcess,
  distribute,
  type Connection,
  withConnections,
} from '../../server/local/drill/api-process.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { joinMerchant } from '../../server/src/identity/merchant/members.ts'
import { sendOrThrow, type Merchant, server, toMajor } from '../voucher-lifecycle/world.ts'
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

/** One payout, requested repeatedly at both processes while both are killed. */
export async function replayAcrossKills(world: World): Promise<void> {
  const { apis, report, books, isShort } = world
  const plan = isShort ? { replaysEach: 50, killsEach: 2 } : { replaysEach: 500, killsEach: 5 }
  const [merchant, person] = [await world.openMerchant('REPLAYED'), await addPerson(world, 'test')]
  await withConnections(apis, 1, ([connection]) => fund(world, connection, merchant, 10_000_00n))
  const payout: Payout = { reference: 'payout', amount: 12_34n }
  const retries: Record<string, number> = { 'cut off': 0, refused: 0, unavailable: 0 }
  let isPaid = false

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
  const notePaid = ({ status, body }: HttpResponse, { reference, amount }: Payout): void => {
    report.expect(status === 200, `${reference} got ${status} ${body}`)
    if (status === 200) books.notePayout(merchant.environmentId, person.id, amount)
  }
  const replay = async (connection: Connection, i: number): Promise<void> => {
    // Before the first response, a changed request could be the first, and paying it would be right.
    if (isPaid && i % changedEvery === 0) {
      const changed = { ...payout, amount: payout.amount + 1n }
      const response = await sendUntilAnswered(connection, payOut(merchant, person, changed))
      const seen = `${response.status} ${codeOf(response)}`
      report.expect(seen === '409 REFERENCE_TAKEN', `a changed amount got ${seen}`)
    }
    const response = await sendUntilAnswered(connection, payOut(merchant, person, payout))
    report.replays++
    if (response.status === 200 && isPaid) return
    isPaid ||= response.status === 200
    notePaid(response, payout)
  }
  const drill = (api: ApiProcess, name: string): Promise<void> =>
    withConnections([api], clientsEach + crossingEach, async (connections) => {
      let done = 0
      const replaying = distribute(connections.slice(0, clientsEach), plan.replaysEach, async (connection, i) => {
        await replay(connection, i)
        done++
      })
      const kill = async (number: number): Promise<void> => {
        while (done < (number * plan.replaysEach) / (plan.killsEach + 1)) await sleep(5)
        // A replay only reads. These payouts are being written when the process dies.
        const crossing = connections.slice(clientsEach).map(async (connection, i) => {
          const one = { reference: `crossing-${name}-${number}-${i}`, amount: 1_00n + BigInt(i) }
          notePaid(await sendUntilAnswered(connection, payOut(merchant, person, one)), one)
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
  console.log('  retries', retries)
  report.expect(retries['cut off'] !== 0, 'no kill interrupted a request, so the drill proves nothing')
}

/** 100 payouts at once under a daily limit that has room for ten, each round with a new merchant. */
export async function payUnderCap(world: World): Promise<void> {
  const { pool, apis, report, books, isShort } = world
  const [owner, person] = [await addPerson(world, 'staff'), await addPerson(world, 'test')]
  await withConnections(apis, 100, async (connections) => {
    await connectAll(connections)
    for (let round = 0; round < (isShort ? 2 : 10); round++) {
      const merchant = await world.openMerchant(`CAPPED${round}`)
      await fund(world, connections[0], merchant, 1_000_00n)
      await makeOwner(pool, owner, merchant)
      // Used to the cent, or with a rest that is not enough for another payout.
      const limits = { currency: 'USD', daily: round % 2 === 0 ? '10.00' : '10.99', pin }
      const asOwner = [`Scrip-Merchant: ${merchant.code}`, 'Scrip-Mode: test']
      await sendOrThrow(connections[0], owner.post('/merchant/payout-limits', limits, asOwner))
      const responses = await Promise.all(
        connections.map(async (connection, i) => {
          const response = await connection.send(payOut(merchant, person, { reference: `capped-${i}`, amount: 1_00n }))
          if (response.status === 200) books.notePayout(merchant.environmentId, person.id, 1_00n)
          return response
        }),
      )
      const refused = responses.filter((response) => codeOf(response) === 'OUTFLOW_ABOVE_DAILY').length
      report.capped += refused
      const isRight = countOf(responses, 200) === 10 && refused === 90
      report.expect(isRight, `a limit with room for 10 of 100 gave ${tally(responses)}`)
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
