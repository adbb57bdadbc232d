// The sources of another revision, for comparisons and for drills of upgrades.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** The sources of another revision beside the packages of this one. */
export function checkOut(revision: string): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'scrip-revision-')), 'scrip')
  execFileSync('git', ['worktree', 'add', '--detach', folder, revision], { cwd: root, stdio: 'ignore' })
  for (const packages of ['node_modules', 'server/node_modules', 'cli/node_modules'])
    if (existsSync(join(root, packages))) symlinkSync(join(root, packages), join(folder, packages))
  return folder
}

export function removeCheckOut(folder: string): void {
  execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root })
}

/** Runs the migrations of a release as its operator would. */
export async function migrateBy(sources: string, settings: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [join(sources, 'server/src/main.ts'), 'migrate'], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`The migrations of ${sources} ended with ${String(code)}.`)
}
