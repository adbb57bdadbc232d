import { median } from './post-load.ts'

/** The slowest of the cases, and the median of all cases. */
export type CaseTimes = { readonly slowestMs: number; readonly typicalMs: number }

type Case = readonly [name: string, call: () => Promise<{ status: number; text: string }>]

const repeats = 15
// A pause of a shared machine can make a case slow, but not three times. A bad plan does.
const attemptsMax = 3

/** Times each case, and prints its median time. A case that is more than `suspectRatio` times slower than usual is timed again. */
export async function timeCases(cases: readonly Case[], suspectRatio = Number.POSITIVE_INFINITY): Promise<CaseTimes> {
  const mediansMs: number[] = []
  for (const each of cases) mediansMs.push(await timeCase(each))
  const typicalMs = median(mediansMs)
  for (const [i, each] of cases.entries())
    for (let attempt = 2; attempt <= attemptsMax && (mediansMs[i] ?? 0) > suspectRatio * typicalMs; attempt++)
      mediansMs[i] = await timeCase(each)
  return { slowestMs: Math.max(...mediansMs), typicalMs }
}

async function timeCase([name, call]: Case): Promise<number> {
  const timesMs: number[] = []
  for (let i = 0; i < repeats; i++) {
    const start = performance.now()
    const reply = await call()
    timesMs.push(performance.now() - start)
    if (reply.status !== 200) throw new Error(`${name}: ${reply.text}`)
  }
  const medianMs = median(timesMs)
  console.log(name.padEnd(34), medianMs.toFixed(1).padStart(8), 'ms')
  return medianMs
}
