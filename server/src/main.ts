import { enableCompileCache } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from './base/clock.ts'
import { createLog, type Log } from './base/log.ts'
import { migrate } from './base/migrate.ts'
import { startJobs } from './base/jobs.ts'
import { refusePooler } from './base/pooler.ts'
import { type Config, readConfig } from './config.ts'
import type { ProcessKind } from './services.ts'

const schemaFolder = join(import.meta.dirname, '..')

const commands: Record<string, (config: Config) => Promise<void>> = {
  async migrate(config) {
    const log = openLog(config, 'migrate')
    const report = (line: string): void => log.info(line)
    const applied = await migrate(config.ownerDatabaseUrl, schemaFolder, systemClock, { report })
    log.info({ applied }, applied.length > 0 ? 'The database was migrated.' : 'The database was up to date.')
  },
  api: (config) => run(config, 'api'),
  worker: (config) => run(config, 'worker'),
  all: (config) => run(config, 'all'),
}

function openLog({ logLevel }: Config, kind: ProcessKind | 'migrate'): Log {
  return createLog(logLevel, undefined, { process: kind, host: hostname() })
}

async function run(config: Config, kind: ProcessKind): Promise<void> {
  const [listens, works] = [kind !== 'worker', kind !== 'api']
  const log = openLog(config, kind)
  // Loaded here, after the cache of compiled modules is on.
  const { buildApp } = await import('./app.ts')
  const built = await buildApp(config, log, { kind })
  const { app, internal, jobs, metricsJob, noteJobRun, readiness, loadSignIn, stop } = built
  const check = async (): Promise<void> => {
    if (works) await refusePooler(config.databaseUrl, 'worker')
    await built.checkSchema()
    await built.checkIsolation()
    if (works) await built.checkChainRole()
    if (works) await built.logNodes()
  }
  await check().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const worker = works ? startJobs([...jobs, metricsJob], log, noteJobRun) : undefined
  readiness.watch()
  stopOnSignal(async (signal) => {
    // Ctrl-C in a terminal does not wait: no load balancer is there.
    const drainSeconds = listens && signal === 'SIGTERM' ? config.drainSeconds : 0
    log.info({ signal, drainSeconds }, 'Stopping after running requests have finished.')
    readiness.drain()
    await Promise.all([worker?.stop(), sleep(drainSeconds * 1_000)])
    await stop()
    log.info('Stopped.')
  })
  if (config.internalPort !== undefined) await internal.listen({ host: config.internalHost, port: config.internalPort })
  if (!listens) return
  await app.listen({ host: config.host, port: config.port })
  await loadSignIn()
}

// A terminal sends Ctrl-C to npm and to us, and npm passes it on: both are the same signal.
const sameSignalMs = 500

/** Runs `stop` on the first signal. A second one ends the process at once. */
function stopOnSignal(stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let stoppingSinceMs: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stoppingSinceMs === undefined) {
        stoppingSinceMs = performance.now()
        void stop(signal)
      } else if (performance.now() - stoppingSinceMs > sameSignalMs) process.exit(1)
    })
}

// NODE_COMPILE_CACHE names another folder. If it is not writable, every start compiles again. Not in /tmp, where others may write.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/scrip'))
try {
  const command = commands[process.argv[2] ?? 'all']
  if (command === undefined) throw new Error(`Name one of: ${Object.keys(commands).join(', ')}`)
  await command(readConfig())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
