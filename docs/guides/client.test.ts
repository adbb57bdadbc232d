// Generates types from the committed OpenAPI document, compiles the program on the page with them, and runs it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../server/local/test/api-world.ts'
import { createTestDatabase } from '../../server/local/test/test-database.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const program =
  /```ts redeem\.ts\n(.*?)```/s.exec(await readFile(join(import.meta.dirname, 'client.md'), 'utf8'))?.[1] ?? ''

let folder: string
let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'scrip-client-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const types = await openapiTS(pathToFileURL(join(root, 'docs/reference/openapi.json')))
  await writeFile(join(folder, 'scrip-api.ts'), astToString(types))
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

/** The compiler's errors in programs that import the generated types, by the name of the file. */
async function compile(programs: Record<string, string>): Promise<Record<string, string>> {
  const files = Object.keys(programs).map((name) => join(folder, name))
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text)
  const compiled = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
  })
  const found: Record<string, string> = {}
  for (const { file, messageText } of ts.getPreEmitDiagnostics(compiled))
    found[basename(file?.fileName ?? '')] = ts.flattenDiagnosticMessageText(messageText, '\n')
  return found
}

test('the program on the page compiles; a misspelt field or an impossible error code does not', {
  timeout: 60_000,
}, async () => {
  const faults = await compile({
    'redeem.ts': program,
    'misspelt.ts': program.replace('voucherCode: VOUCHER_CODE', 'vouchercode: VOUCHER_CODE'),
    'impossible.ts': program.replace('VOUCHER_EMPTY', 'INVOICE_NOT_FOUND'),
  })
  expect(faults).toEqual({
    'misspelt.ts': expect.stringContaining('vouchercode') as string,
    'impossible.ts': expect.stringContaining('no overlap') as string,
  })
})

test('the program on the page redeems a voucher', { timeout: 60_000 }, async () => {
  await writeFile(join(folder, 'redeem.ts'), program)
  const { data } = await world.post<{ code: string }>('/sandbox/vouchers', { amount: 25, currency: 'USD' })
  const { port } = world.app.server.address() as AddressInfo
  const env = { SCRIP: `http://127.0.0.1:${port}`, PUBLIC_KEY: world.ours.publicKey, VOUCHER_CODE: data.code }
  const { stdout } = await run(process.execPath, ['redeem.ts'], { cwd: folder, env })
  expect(stdout).toBe('Redeemed for order-1042\n')
  const found = await world.call('GET', '/merchant-integrations-server/verify-transaction/order-1042')
  expect(found.body).toMatchObject({ data: { amount: 25, status: 'COMPLETED' } })
})
