// Writes what is generated from the code: the OpenAPI document and the catalogue of errors. With --check it writes
// nothing, and fails if what is checked in differs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildApp } from '../server/src/app.ts'
import { errorCatalogue } from '../server/src/base/errors.ts'
import { createLog } from '../server/src/base/log.ts'
import { readConfig } from '../server/src/config.ts'
import { statusOf } from '../server/src/http/envelope.ts'

const isCheck = process.argv.includes('--check')
const config = readConfig({
  DATABASE_URL: 'postgresql://nowhere/none',
  KEY_PEPPER: '00'.repeat(32),
  KEY_RING: `1:${'00'.repeat(32)}`,
})
const { app, stop } = await buildApp(config, createLog('silent'))
await app.ready()
const document = app.swagger()
await stop()

const rows = errorCatalogue
  .toSorted((a, b) => a.code.localeCompare(b.code))
  .map(
    ({ code, kind, message }) =>
      `| <a id="${code.toLowerCase().replaceAll('_', '-')}"></a>\`${code}\` | ${statusOf[kind]} | ${message} |`,
  )
const errors = `# Errors

Every error keeps the envelope, with \`status: "error"\`, \`code\` equal to the HTTP status, and \`error.code\` from this table. It never changes its
meaning. \`error.param\` names the field that is wrong, \`error.requestId\` tells us which request it was.

| code | status | meaning |
|---|---|---|
${rows.join('\n')}
`

const files: Record<string, string> = {
  'docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/reference/errors.md': errors,
}
let stale = 0
for (const [name, text] of Object.entries(files)) {
  const path = resolve(import.meta.dirname, '..', name)
  const isSame = existsSync(path) && readFileSync(path, 'utf8') === text
  if (isSame) continue
  stale++
  if (isCheck) console.error(`${name} is out of date: npm run generate`)
  else writeFileSync(path, text)
}
if (isCheck && stale > 0) process.exitCode = 1
