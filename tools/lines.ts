// Prints lines of code per folder, code and tests apart. Blank lines and comments are left out.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.(ts|tsx|sql|sol|css|html)$/.test(file) && !file.endsWith('.gen.ts'))

function folderOf(file: string): string {
  const parts = file.split('/').slice(0, -1)
  return parts.slice(0, parts[1] === 'src' ? 3 : 2).join('/') || '.'
}

/** Whole lines only: what stands behind code on its line is part of it. */
function isCode(line: string): boolean {
  return !/^\s*($|\/\/|\/?\*|--)/.test(line)
}

const folders = new Map<string, { code: number; tests: number }>()
for (const file of files) {
  const lines = readFileSync(resolve(root, file), 'utf8').split('\n').filter(isCode).length
  const folder = folders.get(folderOf(file)) ?? { code: 0, tests: 0 }
  folder[/\.test\.|^e2e\/|^contracts\/test\//.test(file) ? 'tests' : 'code'] += lines
  folders.set(folderOf(file), folder)
}

console.log('lines per folder'.padEnd(32), 'code'.padStart(7), 'tests'.padStart(7))
for (const [folder, { code, tests }] of [...folders].sort(([a], [b]) => a.localeCompare(b)))
  console.log(folder.padEnd(32), String(code).padStart(7), String(tests).padStart(7))

const serverLines = [...folders]
  .filter(([folder]) => folder.startsWith('server/src'))
  .reduce((all, [, { code }]) => all + code, 0)
console.log('server/src in all'.padEnd(32), String(serverLines).padStart(7))
