// `npm run dev`: the whole platform, with its data in .scrip/. A second start continues with the same data.
//   npm run dev -- --fresh    deletes the data and starts from nothing
//   npm run dev -- --redis    counts rate limits in a Redis of its own (Debian: redis-server)
//   PORT=8081 npm run dev     another port; SCRIP_DEV_FOLDER is another folder than .scrip
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { releaseLock, takeLock } from './dev-lock.ts'
import { createSteps } from './dev-steps.ts'

const folder = resolve(process.env.SCRIP_DEV_FOLDER ?? join(import.meta.dirname, '../../../.scrip'))
const running = takeLock(folder, `http://127.0.0.1:${process.env.PORT ?? '8080'}`)
if (running === undefined) await run()
else {
  const { pid, address } = running
  console.error(`Scrip already runs in this folder: process ${pid}, ${address}. Stop it with Ctrl-C there.`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const steps = createSteps((text) => void process.stdout.write(text))
  const end = async (code: number): Promise<void> => {
    await steps.stop()
    for (const file of ['dev.json', 'dev.env']) rmSync(join(folder, file), { force: true })
    releaseLock(folder)
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (steps.isStopping()) return
      console.log('\n  Stopping …')
      void end(0)
    })
  try {
    // Takes seconds on a busy machine, so it is a step of its own, after Ctrl-C works.
    const { startDev } = await steps.step('Loading the program', () => import('./dev-start.ts'))
    await startDev(steps)
  } catch (error) {
    // A stop interrupts the running step, which then fails.
    if (steps.isStopping()) return
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    await end(1)
  }
}
