// Compares what the receiver recorded with what GET /events lists.
import type { World } from './world.ts'

// A delivery that was sent just before a kill may be read after it.
const readMsMax = 1_000
const medianMsMax = 1_000

export async function compareBooks({ endpoints, receiver, report }: World): Promise<void> {
  const { events } = report
  const listed = new Set(report.listed.map(({ id }) => id))
  const waits: number[] = []
  for (const [i, book] of (await receiver.readBooks()).entries()) {
    const temper = endpoints[i]?.temper
    const missing = events.filter(({ id }) => !book.taken.has(id)).length
    report.missing += missing
    report.badSignatures += book.badSignatures
    report.repeated += book.repeats.length
    report.expect(missing === 0, `${missing} events never reached endpoint ${i} (${temper})`)
    report.expect(book.badSignatures === 0, `${book.badSignatures} bad signatures at endpoint ${i} (${temper})`)
    const unlisted = [...book.taken].filter((id) => !listed.has(id)).length
    report.expect(unlisted === 0, `${unlisted} events reached endpoint ${i} (${temper}) that are not listed`)
    if (temper !== 'healthy') continue
    // After a kill, the next worker sends again what was not recorded as delivered. There is no other reason for a repeat.
    const doubled = book.repeats.filter(
      ({ beforeMs, againMs }) => !report.killsMs.some((ms) => ms > beforeMs - readMsMax && ms < againMs),
    ).length
    report.doubled += doubled
    report.expect(doubled === 0, `${doubled} events reached endpoint ${i} twice without a kill in between`)
    for (const { id, timestamp } of events) {
      const arrivedMs = book.firstMs.get(id)
      if (arrivedMs !== undefined) waits.push(arrivedMs - Date.parse(timestamp))
    }
  }
  waits.sort((a, b) => a - b)
  const at = (share: number): number => waits[Math.floor((waits.length - 1) * share)] ?? Number.POSITIVE_INFINITY
  report.medianMs = at(0.5)
  report.p99Ms = at(0.99)
  console.log(
    `  ${waits.length} deliveries to healthy endpoints: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
  )
  report.expect(report.medianMs < medianMsMax, `the median delivery to a healthy endpoint took ${report.medianMs} ms`)
}
