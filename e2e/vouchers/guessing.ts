// The parts of the drill of vouchers that try to find out pins and codes.
import { type ApiProcess, inTurn, type Line, withLines } from '../../server/local/api-process.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { makeCode } from '../../server/src/voucher/code.ts'
import { countOf, newAddress, tally, type World } from './world.ts'

const pinsMax = 5
// A hundred, and as many as were under way when it came to that.
const missesMax = 200
// Fewer than an address is allowed, so that these are really looked up.
const guessesPerAddress = 50
const rightPin = '4821'

/** 500 wrong pins at once, to both processes. On the last voucher the right one is in their midst. */
export async function guessPins({ pool, apis, shop, report, isShort }: World): Promise<void> {
  const vouchers = isShort ? 2 : 10
  await withLines(apis, 501, async (lines) => {
    for (let i = 1; i <= vouchers; i++) {
      const voucher = await shop.makeVoucher(lines[0], 10_00n, rightPin)
      const pins = Array.from({ length: 500 }, (_, place) => String(5_000 + place))
      if (i === vouchers) pins.splice(250, 0, rightPin)
      const answers = await Promise.all(
        pins.map((pin, place) => {
          const redemption = { reference: `pin-${i}-${place}`, voucher, amount: 1_00n }
          return (lines[place] as Line).ask(shop.redeem(redemption, pin))
        }),
      )
      const refused = (code: string): number => answers.filter(({ body }) => body.includes(`"code":"${code}"`)).length
      const [wrong, locked, right] = [
        refused('VOUCHER_PIN_WRONG'),
        refused('VOUCHER_PIN_LOCKED'),
        countOf(answers, 200),
      ]
      const { rows } = await pool.query<{ counted: number }>(
        'select wrong_in_all as counted from voucher_pins where voucher_id = $1',
        [voucher.id],
      )
      const counted = rows[0]?.counted ?? -1
      // A right pin that came in time ended a row of at most four wrong ones, and began one of five.
      const allowed = right === 0 ? pinsMax : 2 * pinsMax - 1
      report.expect(wrong <= allowed, `${wrong} wrong pins were compared, and the right one ${right} times`)
      report.expect(wrong === counted, `${wrong} wrong pins were compared and ${counted} counted`)
      report.expect(wrong + locked + right === pins.length, `pins were answered ${tally(answers)}`)
      if (right === 0) report.pinsCompared = Math.max(report.pinsCompared, wrong)
      if (i === vouchers) console.log(`  the right pin among wrong ones was ${right === 0 ? 'refused' : 'in time'}`)
    }
  })
}

/** Random codes with the public key alone, beside many real ones. A tenth of them comes from one address. */
export async function guessCodes({ apis, shop, report, isShort }: World): Promise<void> {
  const plan = isShort ? { vouchers: 200, guesses: 20_000 } : { vouchers: 10_000, guesses: 1_000_000 }
  await withLines(apis, 64, (lines) => inTurn(lines, plan.vouchers, (line) => shop.makeVoucher(line, 10_00n)))

  const guess = async (processes: ApiProcess[], count: number, perAddress: number) => {
    const answered: Record<number, number> = { 200: 0, 404: 0, 429: 0 }
    let address = ''
    await withLines(processes, 64, (lines) =>
      inTurn(lines, count, async (line, i) => {
        if (i % perAddress === 0) address = newAddress()
        const { status } = await line.ask(shop.verify(makeCode(systemRandom), address))
        answered[status] = (answered[status] ?? 0) + 1
        if (++report.guesses % 100_000 === 0) console.log(`  ${report.guesses} guesses`)
      }),
    )
    report.hits += answered[200] ?? 0
    console.log(`  ${count} guesses, at most ${perAddress} from one address, were answered`, answered)
    return answered
  }
  const tenth = plan.guesses / 10
  // Each process counts for itself, so that this address asks one of them only.
  const fromOne = await guess([apis[0]], tenth, tenth)
  report.expect(fromOne[429] !== undefined && fromOne[429] >= tenth - missesMax, 'one address may guess too often')
  const fromMany = await guess(apis, 9 * tenth, guessesPerAddress)
  report.expect(fromMany[404] === 9 * tenth, 'not every guess from many addresses was looked up')
  report.expect(report.hits === 0, `${report.hits} guesses were right`)
}

/** A code that nobody has against one that is for another merchant, by the time until the answer. */
export async function compareTimes({ apis, shop, elsewhere, report, isShort }: World): Promise<void> {
  const pairs = isShort ? 500 : 10_000

  /** How much longer the foreign one takes. */
  const measure = async (line: Line, foreignCodes: string[], plantedMs: number): Promise<number> => {
    const times = { missing: [] as number[], foreign: [] as number[] }
    const bodies = new Set<string>()
    let address = ''
    for (let i = 0; i < pairs; i++) {
      if (i % (guessesPerAddress / 2) === 0) address = newAddress()
      const codes = { missing: makeCode(systemRandom), foreign: foreignCodes[i % foreignCodes.length] ?? '' }
      // Each goes first as often as the other.
      for (const side of i % 2 === 0 ? (['missing', 'foreign'] as const) : (['foreign', 'missing'] as const)) {
        const request = shop.verify(codes[side], address)
        const startMs = performance.now()
        const { body } = await line.ask(request)
        const untilMs = performance.now() + (side === 'foreign' ? plantedMs : 0)
        while (performance.now() < untilMs);
        times[side].push(performance.now() - startMs)
        bodies.add(body.replace(/"requestId":"[^"]+"/, ''))
      }
    }
    report.expect(bodies.size === 1, `missing and foreign codes are told apart: ${[...bodies].join()}`)
    const [missingMs, foreignMs] = [medianOf(times.missing), medianOf(times.foreign)]
    const ratio = foreignMs / missingMs
    const shown = `missing ${missingMs.toFixed(3)} ms, foreign ${foreignMs.toFixed(3)} ms, ratio ${ratio.toFixed(4)}`
    console.log(`  with ${plantedMs} ms planted: ${shown}`)
    return ratio
  }
  await withLines([apis[0]], 1, async ([line]) => {
    const foreignCodes: string[] = []
    for (let i = 0; i < 100; i++) foreignCodes.push((await shop.issueFor(line, elsewhere)).code)
    const ratio = await measure(line, foreignCodes, 0)
    const plantedRatio = await measure(line, foreignCodes, 1)
    // A few hundred pairs say nothing about 5 %.
    if (isShort) return
    report.expect(Math.abs(ratio - 1) <= 0.05, `foreign codes take ${ratio} times as long as missing ones`)
    report.expect(plantedRatio > 1.05, `a planted 1 ms was not seen: ${plantedRatio}`)
  })
}

function medianOf(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
