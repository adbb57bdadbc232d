// The way to the baseline from the migrations 0001 to 0023, which it replaced. This file and migrations/from-0023 can be deleted
// once no installation at 0023 is left.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Predecessor = {
  /** The checksums of the replaced files, by name. */
  checksums: Map<string, string>
  /** Leads to the schema of the baseline. */
  upgrade: { name: string; sql: string }
  /** How many files the baseline has. Migrations after it are applied to upgraded databases too. */
  baselineSize: number
}

const baselineSize = 17

export function readPredecessor(migrationsFolder: string): Predecessor | undefined {
  const folder = join(migrationsFolder, 'from-0023')
  if (!existsSync(folder)) return undefined
  const lines = readFileSync(join(folder, 'sha256sums.txt'), 'utf8').trim().split('\n')
  const sql = readFileSync(join(folder, 'upgrade.sql'), 'utf8')
  return {
    checksums: new Map(lines.map((line) => line.split('  ')).map(([checksum = '', name = '']) => [name, checksum])),
    upgrade: { name: 'from-0023/upgrade.sql', sql },
    baselineSize,
  }
}

export function isAtPredecessor({ checksums }: Predecessor, applied: ReadonlyMap<string, string>): boolean {
  return applied.size === checksums.size && [...checksums].every(([name, checksum]) => applied.get(name) === checksum)
}

/** Refuses a database that ran some of the replaced files, but not exactly these: what its tables are is not known. */
export function refuseOtherPredecessors({ checksums }: Predecessor, applied: ReadonlyMap<string, string>): void {
  const isOld = [...applied].some(([name, checksum]) => checksums.get(name) === checksum)
  if (!isOld) return
  throw new Error(
    `This database cannot be upgraded: ${describeDifference(checksums, applied)}. Nothing was changed. The migrations 0001 to ` +
      '0023 were replaced by a baseline, which takes over a database at exactly 0023. Restore a backup from that state, or ' +
      'migrate to 0023 with the version that this database belongs to. In development, start again: npm run dev -- --fresh',
  )
}

function describeDifference(checksums: ReadonlyMap<string, string>, applied: ReadonlyMap<string, string>): string {
  for (const [name, checksum] of checksums) {
    if (!applied.has(name)) return `${name} was not applied`
    if (applied.get(name) !== checksum) return `${name} was another file when it was applied`
  }
  const beyond = [...applied.keys()].filter((name) => !checksums.has(name)).sort()
  return `${beyond.join(', ')} ${beyond.length === 1 ? 'was' : 'were'} applied after 0023`
}
