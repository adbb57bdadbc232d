// Breaks an installation as each runbook says, then runs every command of the runbook, in order, as it is written.
//   npm run drill -- runbooks [short] [NAME…]
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Block, countCommands, killBlocks, readBlocks, runBlock } from '../runbooks/blocks.ts'
import { type Installation, openInstallation } from '../runbooks/installation.ts'
import { type Plan, plans, type Rehearsal } from '../runbooks/rehearsals.ts'
import { runParts } from '../run-parts.ts'

process.setMaxListeners(50)
const folder = resolve(import.meta.dirname, '../../docs/operate/runbooks')
const args = process.argv.slice(2)
const isShort = args.includes('short')
const named = args.filter((arg) => arg !== 'short')
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
let [commands, failed, rehearsed] = [0, 0, 0]

// One page in the short version: each restarts processes, and all of them take minutes.
const inShort = ['full-disk']
const chosen = plans.filter(({ name }) =>
  named.length === 0 ? !isShort || inShort.includes(name) : named.includes(name),
)
const left = plans.filter((plan) => !chosen.includes(plan))
if (isShort) console.log(`left out: ${left.map(({ name }) => name).join(', ')}`)
checkPlans()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll())
await runParts(
  faults,
  stops,
  () => openInstallation(stops, isShort),
  chosen.map((plan) => [plan.name, (world: Installation) => rehearse(world, plan)] as const),
)
console.log(`runbooks runbooks=${rehearsed} commands=${commands} failed=${failed} faults=${faults.length}`)
process.exit(faults.length === 0 && rehearsed > 0 ? 0 : 1)

/** Leaves no process and no disk behind when the drill is interrupted. */
async function stopAll(): Promise<void> {
  killBlocks()
  for (const stop of stops.toReversed()) await stop().catch(() => undefined)
  process.exit(1)
}

/** A page without a plan would not be rehearsed. */
function checkPlans(): void {
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')
  for (const page of pages)
    if (!plans.some(({ name }) => `${name}.md` === page)) faults.push(`${page} has no rehearsal`)
}

async function rehearse(installation: Installation, { name, rehearse: prepare }: Plan): Promise<void> {
  const blocks = readBlocks(readFileSync(join(folder, `${name}.md`), 'utf8'))
  const rehearsal = await prepare(installation)
  const headings = new Set(blocks.map(({ heading }) => heading))
  for (const heading of Object.keys(rehearsal.before ?? {}))
    if (!headings.has(heading)) faults.push(`${name}.md has no heading "${heading}", before which the drill acts`)
  const done = new Set<string>()
  for (const block of blocks) {
    const { heading } = block
    const repeat = async (other: string): Promise<void> => {
      for (const each of blocks.filter((one) => one.heading === other))
        if (!(await run(installation, name, each, rehearsal))) throw new Error(`${other} failed when it was repeated.`)
    }
    if (!done.has(heading)) await rehearsal.before?.[heading]?.(repeat)
    done.add(heading)
    // The rest of the runbook assumes that this block did its work.
    if (!(await run(installation, name, block, rehearsal)))
      throw new Error(`${name}.md does not lead out of the fault.`)
  }
  const wrong = await rehearsal.finish()
  faults.push(...wrong.map((fault) => `${name}: ${fault}`))
  rehearsed++
}

async function run({ env }: Installation, name: string, block: Block, { env: more = {} }: Rehearsal): Promise<boolean> {
  const startMs = performance.now()
  const { output, fault } = await runBlock(block, { ...env, ...more }, env.SCRIP_FOLDER ?? '')
  commands += countCommands(block)
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  console.log(`  ${name}.md:${block.line} ${block.heading}: ${fault ?? 'done'} in ${seconds} s`)
  if (fault === undefined) return true
  failed++
  faults.push(`${name}.md:${block.line} ${fault}\n${block.script}${output.slice(-4_000)}`)
  return false
}
