// Writes what is generated from the code: the OpenAPI document, the list of errors, the reference of the schema and the list of personal
// data. With --check it writes nothing, and fails if the committed files differ.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildApp } from '../server/src/app.ts'
import { errorCatalogue } from '../server/src/base/errors.ts'
import { createLog } from '../server/src/base/log.ts'
import { readConfig } from '../server/src/config.ts'
import { slugOf, statusOf } from '../server/src/http/envelope.ts'
import { buildPersonalDataDocument } from './personal-data-document.ts'
import { buildSchemaDocument } from './schema-document.ts'

const isCheck = process.argv.includes('--check')
const config = readConfig({
  DATABASE_URL: 'postgresql://localhost/none',
  KEY_PEPPER: '00'.repeat(32),
  KEY_RING: `1:${'00'.repeat(32)}`,
})
const { app, stop } = await buildApp(config, createLog('silent'))
await app.ready()
const document = app.swagger()
await stop()

const rows = errorCatalogue
  .toSorted((a, b) => a.code.localeCompare(b.code))
  .map(({ code, kind, message }) => `| <a id="${slugOf(code)}"></a>\`${code}\` | ${statusOf[kind]} | ${message} |`)
const errors = `# Errors

Every error has the same envelope: \`status\` is \`"error"\`, \`code\` is the HTTP status, and \`error.code\` is a code from
this table, whose meaning never changes. \`error.param\` is the name of the invalid field. Quote \`error.requestId\` when you
contact support.

| code | status | meaning |
|---|---|---|
${rows.join('\n')}
`

const files: Record<string, string> = {
  'docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/reference/errors.md': errors,
  'docs/reference/schema.md': await buildSchemaDocument(),
  'docs/reference/personal-data.md': buildPersonalDataDocument(),
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
