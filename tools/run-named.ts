// `npm run bench -- ledger` runs bench/ledger.ts, `npm run drill -- ledger` runs e2e/drills/ledger.ts.
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder = '', name = ''] = process.argv.slice(2)
const file = resolve(import.meta.dirname, '..', folder, `${name}.ts`)

if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  const names = readdirSync(resolve(import.meta.dirname, '..', folder))
    .filter((entry) => entry.endsWith('.ts'))
    .map((entry) => entry.slice(0, -3))
  console.error(`Name one of: ${names.join(', ')}`)
  process.exit(2)
}
process.argv.splice(2, 2)
await import(pathToFileURL(file).href)
