// What tracing costs: processor time of the API for one redemption, without traces and with one percent of the requests
// traced and sent to a collector on this machine. Both servers run all the time, on one database, and take turns.
//   npm run bench -- traces [short]
import { readdirSync, readFileSync } from 'node:fs'
import { startCollector } from '../server/local/test/collector.ts'
import { openLoad } from './http-load.ts'
import { median } from './post-load.ts'
import { type ApiProcess, startApi } from './redeem-process.ts'
import { startRedeemWorld } from './redeem-world.ts'
import { checkRatios } from './thresholds.ts'

const isShort = process.argv.includes('short')
const [turns, seconds, vouchers] = isShort ? [4, 0.5, 5_000] : [16, 0.5, 20_000]
const perSecond = 400
// The goal is 1.02. A machine that runs other programs too adds some percent to a short run.
const ratioMax = isShort ? 1.1 : 1.02

const collector = await startCollector()
const { postgres, port, environment, spread } = await startRedeemWorld(vouchers)
const off = await startApi({ mode: 'batched', environment })
const on = await startApi({
  mode: 'batched',
  environment: {
    ...environment,
    PORT: String(port + 1),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  },
})
// A new process spends its first seconds on compiling.
for (let i = 0; i < 2; i++) for (const each of [port, port + 1]) await openLoad(each, spread, perSecond, 1)

const times: { off: number; on: number }[] = []
for (let turn = 0; turn < turns; turn++) {
  const measureOff = (): Promise<number> => measure(off, port)
  const measureOn = (): Promise<number> => measure(on, port + 1)
  if (turn % 2 === 0) {
    const offUs = await measureOff()
    times.push({ off: offUs, on: await measureOn() })
  } else {
    const onUs = await measureOn()
    times.push({ off: await measureOff(), on: onUs })
  }
}
await on.stop()
await off.stop()
await postgres.stop()
await collector.close()

const ratio = median(times.map((one) => one.on / one.off))
const us = (pick: (one: { off: number; on: number }) => number): string => median(times.map(pick)).toFixed(0)
const traced = collector.spans().filter(({ name }) => name === 'ledger.post').length
console.log(`ratios ${times.map((one) => (one.on / one.off).toFixed(3)).join(' ')}`)
console.log(
  `traces off_cpu_us=${us((one) => one.off)} on_cpu_us=${us((one) => one.on)} ratio=${ratio.toFixed(3)} turns=${turns} traced=${traced}`,
)
if (traced === 0) console.log('FAULT no redemption was traced')
process.exit(checkRatios('traces', [{ name: 'ratio', ratio, max: ratioMax }]) && traced > 0 ? 0 : 1)

/** Microseconds of processor time for one redemption. */
async function measure(api: ApiProcess, at: number): Promise<number> {
  const beforeUs = processorUs(api.pid)
  const { requests, failed } = await openLoad(at, spread, perSecond, seconds)
  if (failed > 0) throw new Error(`${failed} redemptions failed.`)
  return (processorUs(api.pid) - beforeUs) / requests
}

/** The time of all threads of a process in user and system mode, which the kernel counts in nanoseconds. */
function processorUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return times.reduce((sum, time) => sum + time, 0) / 1_000
}
