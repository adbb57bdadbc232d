import { join } from 'node:path'
import { systemClock } from './base/clock.ts'
import { createLog } from './base/log.ts'
import { migrate } from './base/migrate.ts'
import { readConfig } from './config.ts'

const migrationsFolder = join(import.meta.dirname, '../migrations')

try {
  const config = readConfig()
  const log = createLog(config.logLevel)
  const applied = await migrate(config.ownerDatabaseUrl, migrationsFolder, systemClock)
  log.info({ applied }, applied.length > 0 ? 'The database is migrated.' : 'The database was up to date.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
