import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../server/src/base/clock.ts'
import { migrate } from '../server/src/base/migrate.ts'
import { readConfig } from '../server/src/config.ts'
import { print } from './tools.ts'

export function addMigrateCommand(scrip: Command): void {
  scrip
    .command('migrate')
    .description('brings the database to the schema of this version')
    .option('--contract', 'also removes what only the previous release uses; no process of it may be left')
    .action(async ({ contract = false }: { contract?: boolean }) => {
      const folder = resolve(import.meta.dirname, '../server')
      const options = { contract, report: print }
      const applied = await migrate(readConfig().ownerDatabaseUrl, folder, systemClock, options)
      print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database was up to date.')
    })
}
