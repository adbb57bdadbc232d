/** Asks each fifteen times, says how long it takes, and tells the slowest median. */
export async function timeCases(
  cases: readonly (readonly [name: string, call: () => Promise<{ status: number; text: string }>])[],
): Promise<number> {
  let slowestMs = 0
  for (const [name, call] of cases) {
    const timesMs: number[] = []
    for (let i = 0; i < 15; i++) {
      const start = performance.now()
      const reply = await call()
      timesMs.push(performance.now() - start)
      if (reply.status !== 200) throw new Error(`${name}: ${reply.text}`)
    }
    const medianMs = timesMs.toSorted((a, b) => a - b)[7] ?? 0
    slowestMs = Math.max(slowestMs, medianMs)
    console.log(name.padEnd(34), medianMs.toFixed(1).padStart(8), 'ms')
  }
  return slowestMs
}
