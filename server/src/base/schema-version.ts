// Which schemas this release can work with: from the one that its own migrations lead to, up to one whose later migrations only add.
import { join } from 'node:path'
import type { Db } from './db.ts'
import { readMigrations } from './migration-file.ts'
import { list, select, sql } from './sql.ts'

export type CheckSchema = (db: Db) => Promise<void>

const records = list({ name: sql.text`name`, isContract: sql.boolean`is_contract` })

/** Returns a check that throws if the schema is too old for this release, too new, or not one of Scrip. */
export function createCheckSchema(folder: string): CheckSchema {
  const migrations = readMigrations(join(folder, 'migrations'))
  const known = new Set(migrations.map(({ name }) => name))
  // The contracts at the end are applied when the previous release is gone, which has this release running.
  const isNeeded = migrations.slice(0, migrations.findLastIndex(({ isContract }) => !isContract) + 1)
  const needed = isNeeded.map(({ name }) => name)
  return async (db) => {
    const applied = await select(db)`select ${records} from schema_migrations`.catch((error: unknown) => {
      throw new Error('The database has no schema of this release. Run: npm run scrip -- migrate', { cause: error })
    })
    const names = new Set(applied.map(({ name }) => name))
    const missing = needed.find((name) => !names.has(name))
    if (missing !== undefined)
      throw new Error(`The schema is older than this release: ${missing} is missing. Run: npm run scrip -- migrate`)
    const removed = applied.find(({ name, isContract }) => isContract && !known.has(name))
    if (removed !== undefined)
      throw new Error(
        `The schema is newer than this release: ${removed.name} removed what it uses. Start the new release.`,
      )
  }
}
