import { join } from 'node:path'
import { buildApp } from './app.ts'
import { systemClock } from './base/clock.ts'
import { createLog } from './base/log.ts'
import { migrate } from './base/migrate.ts'
import { type Config, readConfig } from './config.ts'

const migrationsFolder = join(import.meta.dirname, '../migrations')

const commands: Record<string, (config: Config) => Promise<void>> = {
  async migrate(config) {
    const applied = await migrate(config.ownerDatabaseUrl, migrationsFolder, systemClock)
    createLog(config.logLevel).info(
      { applied },
      applied.length > 0 ? 'The database is migrated.' : 'The database was up to date.',
    )
  },
  async api(config) {
    const log = createLog(config.logLevel)
    const { app, checkIsolation, stop } = await buildApp(config, log)
    await checkIsolation().catch(async (error: unknown) => {
      await stop()
      throw error
    })
    const stopOnce = async (signal: string): Promise<void> => {
      log.info({ signal }, 'Stopping: what is under way is answered first.')
      await stop()
      log.info('Stopped.')
    }
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stopOnce(signal))
    await app.listen({ host: config.host, port: config.port })
  },
}

try {
  const command = commands[process.argv[2] ?? 'api']
  if (command === undefined) throw new Error(`Name one of: ${Object.keys(commands).join(', ')}`)
  await command(readConfig())
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
