// The files of this repository, for the tests of its layout and its documents.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Files that are tracked, or untracked and not ignored, by their paths from the root. */
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)))

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
