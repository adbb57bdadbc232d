// Every alert of deploy/prometheus fires: a real platform is broken in every way that the rules are about, and a real Prometheus
// has to report each alert. Nothing may fire before. Needs prometheus (Debian: apt-get install prometheus).
//   npm run drill -- alerts [short]
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readAlertRules, rulesFile } from '../../tools/alert-rules.ts'
import { type Prometheus, startPrometheus } from '../alerts/prometheus.ts'
import { type Phase, phases } from '../alerts/provocations.ts'
import { createWorld, type World } from '../alerts/world.ts'
import { runParts } from '../run-parts.ts'

const isShort = process.argv.includes('short')
const pace = isShort ? { forSeconds: 1, windowSeconds: 10 } : { forSeconds: 10, windowSeconds: 60 }
const phaseMs = isShort ? 60_000 : 300_000
const healthyMs = isShort ? 2_000 : 30_000
const root = join(import.meta.dirname, '../..')
const unitTests = 'deploy/prometheus/scrip-rules.test.yml'

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const fired = new Set<string>()
const unitTested = new Set<string>()
const rules = readAlertRules().map(({ name }) => name)
const fromStart = phases.flatMap(({ provocations }) => provocations.filter(({ provoke }) => provoke === undefined))
let prometheus: Prometheus

// It needs a core for seconds, while the world starts.
const testing = testRules()

await runParts(faults, stops, create, [
  ['rules that promtool tests', () => testing],
  ['a healthy platform', expectSilence],
  ...phases.map((phase) => [phase.name, (world: World) => provokeAll(world, phase)] as const),
])
const missed = rules.filter((name) => !fired.has(name) && !unitTested.has(name))
for (const name of missed) console.log(`FAULT ${name} did not fire`)
console.log(
  `alerts rules=${rules.length} fired=${fired.size} missed=${missed.length} unit_tested=${unitTested.size} ` +
    `seconds=${Math.round((performance.now() - startMs) / 1_000)}`,
)
process.exit(faults.length + missed.length === 0 ? 0 : 1)

async function create(): Promise<World> {
  const world = await createWorld(stops)
  const targets = [world.api, world.secondApi, world.worker].map(({ internalUrl }) => new URL(internalUrl).host)
  prometheus = await startPrometheus(targets, readFileSync(join(root, rulesFile), 'utf8'), pace)
  stops.push(prometheus.stop)
  return world
}

/** The rules as they are, with days of made-up series. */
async function testRules(): Promise<void> {
  try {
    await promisify(execFile)('promtool', ['test', 'rules', join(root, unitTests)])
    const text = readFileSync(join(root, unitTests), 'utf8')
    for (const [, name = ''] of text.matchAll(/alertname: (\w+)/g)) unitTested.add(name)
  } catch (error) {
    faults.push(`promtool: ${String(error)}`)
  }
}

async function expectSilence({ worker }: World): Promise<void> {
  const known = fromStart.flatMap(({ alerts }) => alerts)
  const early = new Set<string>()
  const untilMs = performance.now() + healthyMs
  while (performance.now() < untilMs) {
    for (const name of await prometheus.firing()) if (!known.includes(name)) early.add(name)
    await sleep(500)
  }
  for (const name of early) faults.push(`${name} fires on a healthy platform: ${worker.logs().slice(0, 500)}`)
}

/** Runs the provocations until each of their alerts has fired. */
async function provokeAll(world: World, { provocations }: Phase): Promise<void> {
  const wanted = provocations.flatMap(({ alerts }) => alerts)
  const ending = new AbortController()
  const running = provocations.map(async ({ alerts, provoke }) => {
    await provoke?.(world, ending.signal).catch((error: unknown) => {
      faults.push(`${alerts.join(', ')} could not be provoked: ${String(error)}`)
    })
  })
  const phaseStartMs = performance.now()
  const seen = new Set<string>()
  while (seen.size < wanted.length && performance.now() - phaseStartMs < phaseMs) {
    const firing = await prometheus.firing()
    for (const name of wanted.filter((each) => firing.has(each) && !seen.has(each))) {
      seen.add(name)
      fired.add(name)
      console.log(`  ${name} after ${((performance.now() - phaseStartMs) / 1_000).toFixed(1)} s`)
    }
    await sleep(300)
  }
  ending.abort()
  await Promise.all(running)
}
