import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiWorld, createApiWorld } from '../server/local/test/api-world.ts'
import { runScrip } from '../server/local/test/scrip-command.ts'
import { createTestDatabase } from '../server/local/test/test-database.ts'

// Every command runs in a process of its own.
vi.setConfig({ testTimeout: 60_000 })

let world: ApiWorld
let env: Record<string, string>
let folder: string
/** A time between the redemptions. */
let until: Date
const before = '2020-01-01T00:00:00Z'
const after = '2099-01-01T00:00:00Z'

beforeAll(async () => {
  const { url, operatorUrl, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  const urls = { DATABASE_URL: url, OPERATOR_DATABASE_URL: operatorUrl, OWNER_DATABASE_URL: ownerUrl }
  env = { ...urls, KEY_PEPPER: world.pepper, KEY_RING: world.keyRing }
  folder = await mkdtemp(join(tmpdir(), 'scrip-restore-check-'))
  const voucherCode = await scrip('voucher', 'issue', 'OURS', '25.00', 'USD', '--reference', 'GIFT', '--test')
  for (const [referenceId, amount] of [
    ['A-1', 1.5],
    ['A-2', 2],
  ] as const) {
    const body = { voucherCode, amount, referenceId }
    expect((await world.call('POST', '/merchant-integrations/redeem-voucher', { keys: 'public', body })).status).toBe(
      200,
    )
    if (referenceId === 'A-1') until = new Date()
  }
})
afterAll(() => world.close())

const scrip = (...words: string[]): Promise<string> => runScrip(env, words)

async function check(content: string, ...words: string[]): Promise<string> {
  const file = join(folder, 'list')
  await writeFile(file, content)
  return scrip('restore-check', file, ...words)
}

function line(reference: string, more: object = {}): string {
  return `${JSON.stringify({ merchant: 'OURS', mode: 'test', reference, ...more })}\n`
}

test('a list of references that are all in the database passes', async () => {
  const output = await check(line('A-1', { amount: '1.50', currency: 'USD' }) + line('A-2', { amount: 2 }))
  expect(output).toBe('restore-check compared=2 present=2 missing=0 different=0 later=0 lost=0')
})

test('an absent reference is reported with its line, and the command fails', async () => {
  const output = await check(line('A-1') + line('GONE', { amount: '7.25', currency: 'USD', acknowledgedAt: before }))
  expect(output).toContain('missing OURS test GONE 7.25 USD acknowledged 2020-01-01T00:00:00.000Z (line 2)')
  expect(output).toContain('1 missing: acknowledged, and not in the database')
  expect(output).toContain('compared=2 present=1 missing=1 different=0 later=0 lost=0 (failed)')
})

test('a reference in another environment of the merchant, or of another merchant, is missing', async () => {
  const output = await check(line('A-1', { mode: 'live' }) + line('A-1', { merchant: 'THEIRS' }))
  expect(output).toContain('present=0 missing=2')
  expect(await check(line('A-1', { merchant: 'NOBODY' }))).toContain('missing=1')
})

test('another amount or currency is reported', async () => {
  const amounts = [{ amount: '1.51' }, { amount: '1.500' }, { amount: 'x' }, { amount: '1.50', currency: 'EUR' }]
  const output = await check(amounts.map((more) => line('A-1', more)).join(''))
  expect(output).toContain('different OURS test A-1 1.51 (line 1)')
  expect(output).toContain('present=0 missing=0 different=4')
})

test('with --until, absent references are faults only if they were acknowledged before that time', async () => {
  const list = line('EARLY', { acknowledgedAt: before }) + line('LATE', { acknowledgedAt: after }) + line('NO-TIME')
  const output = await check(list, '--until', until.toISOString())
  expect(output).toContain('lost OURS test LATE acknowledged 2099-01-01T00:00:00.000Z (line 2)')
  expect(output).toContain(`missing=2 different=0 later=0 lost=1 until=${until.toISOString()} (failed)`)
  expect(await check(line('LATE', { acknowledgedAt: after }), '--until', until.toISOString())).not.toContain('(failed)')
})

test('with --until, a present reference that was requested after that time is a fault', async () => {
  const output = await check(line('A-2', { requestedAt: after, acknowledgedAt: after }), '--until', until.toISOString())
  expect(output).toContain('later OURS test A-2')
  expect(output).toContain('later=1 lost=0')
  expect(output).toContain('(failed)')
})

test('a time without an offset is refused, and psql’s form is understood', async () => {
  expect(await check(line('A-1'), '--until', '2030-01-01T00:00:00')).toBe(
    '--until must be a time with its offset, such as 2030-01-31T12:00:00Z. (failed)',
  )
  expect(await check(line('A-1'), '--until', '2030-01-01 02:00:00.5+02')).toContain('until=2030-01-01T00:00:00.500Z')
})

test('the columns of the payments export are understood', async () => {
  const csv = [
    '\uFEFFcreated,settled,reference,type,currency,amount,metadata',
    '2030-01-01T00:00:00+01:00,,A-1,VOUCHER_REDEMPTION,USD,1.50,"with ""quotes"",\nand a line"',
    ',,A-2,VOUCHER_REDEMPTION,USD,2.00,',
    ",,'-GONE,VOUCHER_REDEMPTION,USD,2.00,",
  ]
  const output = await check(`${csv.join('\r\n')}\r\n`, '--merchant', 'OURS', '--test')
  expect(output).toContain('missing OURS test -GONE 2.00 USD (line 5)')
  expect(output).toContain('compared=3 present=2 missing=1')
})

test('the report has every line that is not as acknowledged', async () => {
  const file = join(folder, 'report')
  const lines = Array.from({ length: 30 }, (_, i) => line(`GONE-${i}`)).join('')
  const output = await check(line('A-1') + lines, '--report', file)
  expect(output.split('\n').filter((each) => each.startsWith('missing '))).toHaveLength(20)
  const report = (await readFile(file, 'utf8')).trim().split('\n')
  expect(report).toHaveLength(30)
  expect(JSON.parse(report[0] ?? '')).toMatchObject({ result: 'missing', merchant: 'OURS', reference: 'GONE-0' })
})

test('a list that cannot be compared fails', async () => {
  expect(await check('')).toContain('The file has no references, so nothing was compared. (failed)')
  expect(await check('reference\nA-1\n')).toBe('Line 2 names no merchant. Name it with --merchant CODE. (failed)')
  expect(await check('order\nA-1\n', '--merchant', 'OURS')).toContain('one of them "reference". (failed)')
  expect(await check('{"reference":\n')).toBe('Line 1 is not valid JSON. (failed)')
  expect(await check('reference,amount\n"A-1,1\n', '--merchant', 'OURS')).toBe(
    'Line 2: a quote is not closed. (failed)',
  )
})

test('200,000 references are compared in batches', async () => {
  const lines = Array.from({ length: 200_000 }, (_, i) => line(i % 2 === 0 ? 'A-1' : `GONE-${i}`)).join('')
  const output = await check(lines)
  expect(output).toContain('100000 references compared\n')
  expect(output).toContain('compared=200000 present=100000 missing=100000')
})
