import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setCurrencyActive } from '../../catalogue/currency/store.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const SK = '/merchant-integrations-server'

type Batch = { id: string; status: string; size: number; issued: number; total: number; refused: number[] }
type Trial = {
  size: number
  total: number
  isCovered: boolean
  confirmation: string
  faults: { line: number; column: string; reason: string }[]
}

/** The data of any response in these tests. */
type Data = Batch & {
  code: string
  balance: number
  trial?: Trial
  batch?: Batch
  vouchers: { id: string; code: string }[]
}

let world: ApiWorld
let owner: Pool
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  owner = createPool(ownerUrl, 2)
  await world.fund('100000')
})
afterAll(async () => {
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
  await world.close()
})

const create = (body: object, as?: WorldMerchant) =>
  world.post<Data>(`${SK}/voucher-batches`, { currency: 'USD', ...body }, as)
const look = async (id: string) => (await world.get<Data>(`${SK}/voucher-batches/${id}`)).data
const csvOf = (id: string) => world.get(`${SK}/voucher-batches/${id}/vouchers.csv`)
const importing = (csv: string, more: object = {}) =>
  world.post<Data>(`${SK}/voucher-imports`, { csv, currency: 'USD', ...more })
const confirmationOf = (csv: string): string =>
  hash('sha256', JSON.stringify([world.ours.environmentId, 'USD', csv]), 'hex')
async function imported(csv: string, referenceId: string) {
  const { trial } = (await importing(csv)).data
  return importing(csv, { confirmation: trial?.confirmation, referenceId })
}

describe('a batch', () => {
  test('is paid for at once, issued by a worker, and exported as codes that can be redeemed', async () => {
    const before = await world.balance()
    const { status, data } = await create({ size: 25, amount: 20, expiresAt: '2030-12-31', referenceId: 'summer' })
    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'issuing', size: 25, issued: 0, total: 500 })
    expect(await world.balance()).toBe(before - 500)
    expect((await csvOf(data.id)).status).toBe(409)
    await world.work()
    expect(await look(data.id)).toMatchObject({ status: 'ready', issued: 25, refused: [] })

    const reply = await csvOf(data.id)
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8')
    const [head, ...lines] = reply.text.trimEnd().split('\r\n')
    expect(head).toBe('number,code,amount,currency,expires,link')
    expect(lines).toHaveLength(25)
    const [number, code = '', amount, currency, expires, link] = (lines[24] ?? '').split(',')
    expect([number, amount, currency, expires]).toEqual(['25', '20.00', 'USD', '2031-01-01T00:00:00+01:00'])
    expect(link).toBe(`https://pay.example/v#${code}`)
    expect((await world.redeem({ voucherCode: code, amount: 20 })).status).toBe(200)
    expect(await world.get<Data>(`${SK}/verify-transaction/summer`)).toMatchObject({
      data: { type: 'VOUCHER_PURCHASE', amount: 500, status: 'COMPLETED' },
    })
  })

  test('is created once per reference, and another request with that reference is a conflict', async () => {
    const before = await world.balance()
    const [first, again] = await Promise.all([
      create({ size: 2, amount: 5, referenceId: 'twice' }),
      create({ size: 2, amount: '5.00', referenceId: 'twice' }),
    ])
    expect(again.data.id).toBe(first.data.id)
    expect(await world.balance()).toBe(before - 10)
    expect((await create({ size: 3, amount: 5, referenceId: 'twice' })).status).toBe(409)
    await world.work()
  })

  test('is continued by concurrent workers, and issues every voucher once', async () => {
    const { data } = await create({ size: 1_500, amount: 1 })
    // Two workers, several times each: the second claims nothing, or what the first has left.
    await Promise.all([world.work(), world.work(), world.work()])
    expect(await look(data.id)).toMatchObject({ status: 'ready', issued: 1_500 })
    const { rows } = await owner.query<{ left: bigint; value: bigint }>(
      `select (select balance from ledger_accounts where owner_id = $1 and kind = 'batch') as left,
        (select sum(a.balance) from ledger_accounts a join vouchers v on v.id = a.owner_id where v.batch_id = $1) as value`,
      [data.id],
    )
    expect(rows[0]).toEqual({ left: 0n, value: 150_000n })
  })

  test('hides its codes until it is exported', async () => {
    const { data } = await create({ size: 1, amount: 7 })
    await world.work()
    const [voucher] = (await world.get<Data>(`${SK}/vouchers?limit=1`)).data.vouchers
    const reveal = () => world.post<Data>(`${SK}/vouchers/${voucher?.id ?? ''}/code`, {})
    expect((await reveal()).error?.code).toBe('ISSUED_NOT_HANDED_OVER')
    await csvOf(data.id)
    expect((await reveal()).data.code).toMatch(/^.{4}-.{4}-.{4}-.{4}$/)
  })

  test('is refused above the balance, below the smallest amount, above 10,000 vouchers, and for another merchant', async () => {
    expect((await create({ size: 10_000, amount: 100_000 })).error?.code).toBe('BATCH_BALANCE_TOO_LOW')
    expect((await create({ size: 1, amount: '0.001' })).status).toBe(422)
    expect((await create({ size: 1, amount: 0 })).status).toBe(422)
    expect((await create({ size: 10_001, amount: 1 })).status).toBe(400)
    const { data } = await create({ size: 1, amount: 1 })
    await world.work()
    for (const end of ['', '/vouchers.csv', '/vouchers.pdf'])
      expect((await world.get<Data>(`${SK}/voucher-batches/${data.id}${end}`, world.theirs)).status).toBe(404)
  })

  test('is printed as a PDF', async () => {
    const { data } = await create({ size: 11, amount: 1 })
    await world.work()
    const reply = await world.call('GET', `${SK}/voucher-batches/${data.id}/vouchers.pdf`)
    expect(reply.headers['content-type']).toBe('application/pdf')
    expect(reply.text.startsWith('%PDF-')).toBe(true)
    expect(reply.text.match(/\/Type \/Page\b/g)).toHaveLength(2)
  })
})

describe('an import', () => {
  test('with invalid rows explains each of them and imports nothing', async () => {
    const csv = [
      'Code,Balance,PIN,Expires',
      'GC-1000-0001,25.00,1234,2031-01-01',
      'GC-1000-0002,0,,',
      'x,5,,',
      '=cmd(),5,,',
      'GC 1000 0001,5,,',
      'GC-1000-0003,5.005,,',
      'GC-1000-0004,minus,12,',
      'GC-1000-0005,5,,2020-01-01',
      'GC-1000-0006,5,,tomorrow',
    ].join('\n')
    const { status, data } = await importing(csv)
    expect(status).toBe(200)
    const trial = data.trial as Trial
    expect(trial.confirmation).toBe('')
    expect(trial.faults.map(({ line, column }) => `${line} ${column}`)).toEqual([
      '3 balance',
      '4 code',
      '5 code',
      '6 code',
      '7 balance',
      '8 balance',
      '8 pin',
      '9 expires',
      '10 expires',
    ])
    expect(trial.faults[3]?.reason).toBe('The code is the same as in line 2.')
    expect(trial.faults.every(({ reason }) => reason.length > 10)).toBe(true)
  })

  test('is checked first, then issues codes that can be redeemed at their own merchant, with their PINs', async () => {
    const csv = 'code,balance,pin\r\nGC-2000-0001,25.50,4711\r\n 6006 4912 3456 7890 ,10,\r\n'
    const before = await world.balance()
    const { data: first } = await importing(csv)
    expect(first.trial).toMatchObject({ size: 2, total: 35.5, isCovered: true })
    expect(await world.balance()).toBe(before)
    expect((await importing(`${csv}\n`, { confirmation: first.trial?.confirmation })).error?.code).toBe(
      'IMPORT_UNCONFIRMED',
    )
    const { data } = await imported(csv, 'old cards'.replace(' ', '-'))
    await world.work()
    expect(await look(data.batch?.id ?? '')).toMatchObject({ status: 'ready', issued: 2, refused: [] })
    expect(await world.balance()).toBe(before - 35.5)

    expect((await world.redeem({ voucherCode: 'gc20000001', amount: '5.50' })).status).toBe(403)
    expect((await world.redeem({ voucherCode: 'gc20000001', amount: '5.50', lockPin: '4711' })).status).toBe(200)
    expect((await world.redeem({ voucherCode: '6006491234567890', amount: 10 })).status).toBe(200)
    // For other merchants it is not a valid code.
    expect(
      (await world.redeem({ voucherCode: 'gc-2000-0001', amount: 1, lockPin: '4711' }, { as: world.theirs })).error
        ?.code,
    ).toBe('VOUCHER_CODE_MISTYPED')
    const listed = (await csvOf(data.batch?.id ?? '')).text.split('\r\n')
    expect(listed[1]).toContain('GC-2000-0001,25.50')
    expect(listed[1]).toContain('https://pay.example/v#OURS.GC-2000-0001')
  })

  test('refuses codes that the merchant already has, and two merchants may have the same code', async () => {
    const csv = 'code,balance\nGC-3000-0001,1\n'
    await imported(csv, 'once-1')
    await world.work()
    expect((await importing(csv)).data.trial?.faults).toEqual([
      { line: 2, column: 'code', reason: 'You already have a voucher with this code.' },
    ])
    await world.fund(10, { as: world.theirs })
    const body = { csv, currency: 'USD' }
    const { data } = await world.post<Data>(`${SK}/voucher-imports`, body, world.theirs)
    const confirmed = { ...body, confirmation: data.trial?.confirmation }
    expect((await world.post<Data>(`${SK}/voucher-imports`, confirmed, world.theirs)).status).toBe(200)
    await world.work()
    expect((await world.redeem({ voucherCode: 'GC-3000-0001', amount: 1 }, { as: world.theirs })).status).toBe(200)
    expect((await world.redeem({ voucherCode: 'GC-3000-0001', amount: 1 })).status).toBe(200)
  })

  test('refunds a row whose code another import used in the meantime', async () => {
    const before = await world.balance()
    await imported('code,balance\nGC-4000-0001,3\n', 'race-1')
    const { data } = await imported('code,balance\nGC-4000-0002,5\nGC-4000-0001,4\n', 'race-2')
    await world.work()
    expect(await look(data.batch?.id ?? '')).toMatchObject({ status: 'ready', size: 2, issued: 1, refused: [2] })
    expect(await world.balance()).toBe(before - 3 - 5)
  })

  test('of two megabytes of long lines is refused', async () => {
    const csv = `code,balance\n${`${'x'.repeat(498)}\n`.repeat(3_990)}`
    expect((await importing(csv)).status).toBe(422)
  })

  test('can have 10,000 rows', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `CARD-2019-${String(i).padStart(6, '0')},1.00,,2031-12-31`)
    const { status, data } = await importing(['code,balance,pin,expires', ...rows].join('\n'))
    expect(status).toBe(200)
    expect(data.trial).toMatchObject({ size: 10_000, total: 10_000 })
    expect((await importing(['code,balance', ...rows, 'A-1000000,1'].join('\n'))).error?.code).toBe('IMPORT_UNREADABLE')
    const dates = rows.map((row, i) => row.replace('2031-12-31', `${2031 + (i % 900)}-06-${10 + (i % 20)}`))
    expect((await importing(['code,balance,pin,expires', ...dates].join('\n'))).data.trial?.faults).toEqual([])
  })

  test('reports line numbers as an editor counts them, and at most 100 errors', async () => {
    const { trial } = (await importing('code,balance\n\nGC-5000-0001,1\n\n\nGC-5000-0002,x\n')).data
    expect(trial?.faults.map(({ line }) => line)).toEqual([6])
    const bad = Array.from({ length: 10_000 }, (_, i) => `GC-6${i},x,y`)
    const all = (await importing(['code,balance,pin', ...bad].join('\n'))).data.trial
    expect(all?.faults).toHaveLength(100)
  })

  test('can be retried after its currency was deactivated', async () => {
    const csv = 'code,balance\nGC-7000-0001,1\n'
    const { data } = await imported(csv, 'before-off')
    const { trial } = (await importing('code,balance\nGC-7000-0002,1\n')).data
    restoreAfterTest(() => setCurrencyActive(world.pool, 'USD', true))
    await setCurrencyActive(world.pool, 'USD', false)
    const again = await importing(csv, { confirmation: confirmationOf(csv), referenceId: 'before-off' })
    expect(again.data.batch?.id).toBe(data.batch?.id)
    expect((await importing('code,balance\nGC-7000-0002,1\n', { confirmation: trial?.confirmation })).status).toBe(422)
  })

  test('counts as delivered, so cancelling one of its vouchers needs the holder’s consent', async () => {
    const { data } = await imported('code,balance\nGC-8000-0001,5\n', 'held')
    await world.work()
    const { vouchers } = (await world.get<Data>(`${SK}/vouchers?limit=1`)).data
    const path = `${SK}/vouchers/${vouchers[0]?.id ?? ''}`
    expect((await world.post<Data>(`${path}/code`, {})).data.code).toBe('GC-8000-0001')
    const cancelled = await world.post<Data>(`${path}/cancel`)
    expect([data.batch?.status, cancelled.error?.code]).toEqual(['issuing', 'CONSENT_MISSING'])
  })

  test('of a code that another merchant has as a voucher gives each merchant its own balance', async () => {
    const made = await world.post<Data>(`${SK}/vouchers`, { amount: 9, currency: 'USD' }, world.theirs)
    const { code } = made.data
    await imported(`code,balance\n${code},4\n`, 'same-code')
    await world.work()
    const verify = (as: WorldMerchant) =>
      world.post<Data>('/merchant-integrations/verify-voucher', { voucherCode: code }, as)
    expect((await verify(world.ours)).data.balance).toBe(4)
    expect((await verify(world.theirs)).data.balance).toBe(9)
  })

  test.each([
    ['code,balance\n', 'IMPORT_EMPTY'],
    [`code,balance\n${','.repeat(2_000_000)}`, 'IMPORT_UNREADABLE'],
    [`code,balance\n${'\n'.repeat(30_000)}`, 'IMPORT_TOO_LONG'],
    ['number,balance\n1,2\n', 'IMPORT_COLUMNS'],
    ['code,code,balance\n1,1,2\n', 'IMPORT_COLUMNS'],
    ['code,balance\n"A,2\n', 'IMPORT_UNREADABLE'],
    ['code,balance\nA,2,3\n', 'IMPORT_UNREADABLE'],
  ])('is refused as a whole: %j', async (csv, code) => {
    expect((await importing(csv)).error?.code).toBe(code)
  })

  test('leaves no code and no PIN in the log', () => {
    expect(world.logged()).not.toMatch(/GC.?2000|20000001|"4711"|60064912/)
  })
})
