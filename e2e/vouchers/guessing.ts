// The parts of the voucher drill that guess PINs and codes.
import { type ApiProcess, distribute, type Connection, withConnections } from '../../server/local/drill/api-process.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { makeCode } from '../../server/src/vouchers/code/code.ts'
import { countOf, newAddress, tally, type World } from './world.ts'

const pinsMax = 5
// A hundred, plus those in progress when the limit was reached.
const missesMax = 200
// Fewer than an address is allowed, so that these guesses are really looked up.
const guessesPerAddress = 50
const rightPin = '4821'

/** 500 wrong PINs at once, at both processes. For the last voucher the right PIN is among them. */
export async function guessPins({ pool, apis, shop, report, isShort }: World): Promise<void> {
  const vouchers = isShort ? 2 : 10
  await withConnections(apis, 501, async (connections) => {
    for (let i = 1; i <= vouchers; i++) {
      const voucher = await shop.makeVoucher(connections[0], 10_00n, rightPin)
      const pins = Array.from({ length: 500 }, (_, place) => String(5_000 + place))
      if (i === vouchers) pins.splice(250, 0, rightPin)
      const responses = await Promise.all(
        pins.map((pin, place) => {
          const redemption = { reference: `pin-${i}-${place}`, voucher, amount: 1_00n }
          return (connections[place] as Connection).send(shop.redeem(redemption, pin))
        }),
      )
      const refused = (code: string): number => responses.filter(({ body }) => body.includes(`"code":"${code}"`)).length
      const [wrong, locked, right] = [
        refused('VOUCHER_PIN_WRONG'),
        refused('VOUCHER_PIN_LOCKED'),
        countOf(responses, 200),
      ]
      const { rows } = await pool.query<{ counted: number }>(
        'select wrong_in_all as counted from voucher_pins where voucher_id = $1',
        [voucher.id],
      )
      const counted = rows[0]?.counted ?? -1
      // A right PIN in time ended a series of at most four wrong ones, and another series of five began.
      const allowed = right === 0 ? pinsMax : 2 * pinsMax - 1
      report.expect(wrong <= allowed, `${wrong} wrong PINs were compared, and the right one ${right} times`)
      report.expect(wrong === counted, `${wrong} wrong PINs were compared and ${counted} counted`)
      report.expect(wrong + locked + right === pins.length, `PINs got ${tally(responses)}`)
      if (right === 0) report.pinsCompared = Math.max(report.pinsCompared, wrong)
      if (i === vouchers)
        console.log(`  the right PIN among wrong ones was ${right === 0 ? 'refused' : 'accepted in time'}`)
    }
  })
}

/** Guesses random codes with the public key alone, while many real ones exist. A tenth comes from one address. */
export async function guessCodes({ apis, shop, report, isShort }: World): Promise<void> {
  const plan = isShort ? { vouchers: 200, guesses: 20_000 } : { vouchers: 10_000, guesses: 1_000_000 }
  await withConnections(apis, 64, (connections) =>
    distribute(connections, plan.vouchers, (connection) => shop.makeVoucher(connection, 10_00n)),
  )

  const guess = async (processes: ApiProcess[], count: number, perAddress: number): Promise<Record<number, number>> => {
    const statuses: Record<number, number> = { 200: 0, 404: 0, 429: 0 }
    let address = ''
    await withConnections(processes, 64, (connections) =>
      distribute(connections, count, async (connection, i) => {
        if (i % perAddress === 0) address = newAddress()
        const { status } = await connection.send(shop.verify(makeCode(systemRandom), address))
        statuses[status] = (statuses[status] ?? 0) + 1
        if (++report.guesses % 100_000 === 0) console.log(`  ${report.guesses} guesses`)
      }),
    )
    report.hits += statuses[200] ?? 0
    console.log(`  ${count} guesses, at most ${perAddress} from one address:`, statuses)
    return statuses
  }
  const tenth = plan.guesses / 10
  // Each process counts separately, so this address uses only one of them.
  const fromOne = await guess([apis[0]], tenth, tenth)
  report.expect(fromOne[429] !== undefined && fromOne[429] >= tenth - missesMax, 'one address may guess too often')
  const fromMany = await guess(apis, 9 * tenth, guessesPerAddress)
  report.expect(fromMany[404] === 9 * tenth, 'not every guess from many addresses was looked up')
  report.expect(report.hits === 0, `${report.hits} guesses were right`)
}

/** Compares the response time for a code that does not exist with that for another merchant's code. */
export async function compareTimes({ apis, shop, elsewhere, report, isShort }: World): Promise<void> {
  const pairs = isShort ? 500 : 10_000

  /** Returns how many times as long another merchant's code takes. */
  const measure = async (connection: Connection, foreignCodes: string[], plantedMs: number): Promise<number> => {
    const times = { missing: [] as number[], foreign: [] as number[] }
    const bodies = new Set<string>()
    let address = ''
    for (let i = 0; i < pairs; i++) {
      if (i % (guessesPerAddress / 2) === 0) address = newAddress()
      const codes = { missing: makeCode(systemRandom), foreign: foreignCodes[i % foreignCodes.length] ?? '' }
      // The order alternates.
      for (const side of i % 2 === 0 ? (['missing', 'foreign'] as const) : (['foreign', 'missing'] as const)) {
        const request = shop.verify(codes[side], address)
        const startMs = performance.now()
        const { body } = await connection.send(request)
        const untilMs = performance.now() + (side === 'foreign' ? plantedMs : 0)
        while (performance.now() < untilMs);
        times[side].push(performance.now() - startMs)
        bodies.add(body.replace(/"requestId":"[^"]+"/, ''))
      }
    }
    report.expect(bodies.size === 1, `responses to missing and foreign codes differ: ${[...bodies].join()}`)
    const [missingMs, foreignMs] = [medianOf(times.missing), medianOf(times.foreign)]
    const ratio = foreignMs / missingMs
    const shown = `missing ${missingMs.toFixed(3)} ms, foreign ${foreignMs.toFixed(3)} ms, ratio ${ratio.toFixed(4)}`
    console.log(`  with ${plantedMs} ms planted: ${shown}`)
    return ratio
  }
  await withConnections([apis[0]], 1, async ([connection]) => {
    const foreignCodes: string[] = []
    for (let i = 0; i < 100; i++) foreignCodes.push((await shop.issueFor(connection, elsewhere)).code)
    const ratio = await measure(connection, foreignCodes, 0)
    const plantedRatio = await measure(connection, foreignCodes, 1)
    // A few hundred pairs cannot measure 5 %.
    if (isShort) return
    report.expect(Math.abs(ratio - 1) <= 0.05, `foreign codes take ${ratio} times as long as missing ones`)
    report.expect(plantedRatio > 1.05, `a planted delay of 1 ms was not detected: ${plantedRatio}`)
  })
}

function medianOf(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
