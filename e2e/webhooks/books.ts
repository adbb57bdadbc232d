// What the receiver wrote down, held against what GET /events lists.
import type { World } from './world.ts'

// What was sent just before a kill may be read after it.
const readMsMax = 1_000
const medianMsMax = 1_000

export async function compareBooks({ endpoints, receiver, report }: World): Promise<void> {
  const { events } = report
  const listed = new Set(report.listed.map(({ id }) => id))
  const waits: number[] = []
  for (const [i, book] of (await receiver.tell()).entries()) {
    const temper = endpoints[i]?.temper
    const missing = events.filter(({ id }) => !book.taken.has(id)).length
    report.missing += missing
    report.badSignatures += book.badSignatures
    report.repeated += book.repeats.length
    report.expect(missing === 0, `${missing} events never came to endpoint ${i} (${temper})`)
    report.expect(book.badSignatures === 0, `${book.badSignatures} bad signatures at endpoint ${i} (${temper})`)
    const strange = [...book.taken].filter((id) => !listed.has(id)).length
    report.expect(strange === 0, `${strange} events came to endpoint ${i} (${temper}) that are not listed`)
    if (temper !== 'healthy') continue
    // Whoever dies leaves what nobody knows to be taken, and it comes again. Nothing else does, apart from what was replayed.
    const doubled = book.repeats.filter(
      ({ beforeMs, againMs }) => !report.killsMs.some((ms) => ms > beforeMs - readMsMax && ms < againMs),
    ).length
    report.doubled += doubled
    report.expect(doubled === 0, `${doubled} events came twice to endpoint ${i}, and nobody was killed between`)
    for (const { id, timestamp } of events) {
      const arrivedMs = book.firstMs.get(id)
      if (arrivedMs !== undefined) waits.push(arrivedMs - Date.parse(timestamp))
    }
  }
  waits.sort((a, b) => a - b)
  const at = (share: number): number => waits[Math.floor((waits.length - 1) * share)] ?? Number.POSITIVE_INFINITY
  report.medianMs = at(0.5)
  report.p99Ms = at(0.99)
  console.log(`  ${waits.length} to healthy endpoints: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`)
  report.expect(report.medianMs < medianMsMax, `half of what came to healthy endpoints took ${report.medianMs} ms`)
}
