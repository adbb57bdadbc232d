// The web pages, built anew where they are older than what they are built from.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const built = join(root, 'web/dist/holder/index.html')

export function buildWeb(): void {
  const sources = readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/web\/(dist|node_modules)\b/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
  const newestMs = Math.max(...sources.map((file) => statSync(file).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs > newestMs) return
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', 'web'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The web pages were not built:\n${stderr}`)
}
