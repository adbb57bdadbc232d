import { join } from 'node:path'
import { buildApp } from './app.ts'
import { systemClock } from './base/clock.ts'
import { createLog } from './base/log.ts'
import { migrate } from './base/migrate.ts'
import { startJobs } from './base/jobs.ts'
import { type Config, readConfig } from './config.ts'

const schemaFolder = join(import.meta.dirname, '..')

const commands: Record<string, (config: Config) => Promise<void>> = {
  async migrate(config) {
    const applied = await migrate(config.ownerDatabaseUrl, schemaFolder, systemClock)
    createLog(config.logLevel).info(
      { applied },
      applied.length > 0 ? 'The database was migrated.' : 'The database was up to date.',
    )
  },
  api: (config) => run(config, { listens: true, works: false }),
  worker: (config) => run(config, { listens: false, works: true }),
  all: (config) => run(config, { listens: true, works: true }),
}

async function run(config: Config, { listens, works }: { listens: boolean; works: boolean }): Promise<void> {
  const log = createLog(config.logLevel)
  const { app, internal, jobs, checkIsolation, checkChainRole, logNodes, stop } = await buildApp(config, log)
  const check = async (): Promise<void> => {
    await checkIsolation()
    if (works) await checkChainRole()
    if (works) await logNodes()
  }
  await check().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const worker = works ? startJobs(jobs, log) : undefined
  const stopOnce = async (signal: string): Promise<void> => {
    log.info({ signal }, 'Stopping after running requests have finished.')
    await worker?.stop()
    await stop()
    log.info('Stopped.')
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stopOnce(signal))
  if (config.internalPort !== undefined) await internal.listen({ host: config.internalHost, port: config.internalPort })
  if (listens) await app.listen({ host: config.host, port: config.port })
}

try {
  const command = commands[process.argv[2] ?? 'all']
  if (command === undefined) throw new Error(`Name one of: ${Object.keys(commands).join(', ')}`)
  await command(readConfig())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
