import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { setStanding } from '../../identity/user/store.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const path = '/merchant-integrations-server/payout-batches'

type Batch = {
  id: string
  status: string
  size: number
  paid: number
  refused: number
  total: number
  returned: string
}
type Row = { line: number; name: string; amount: string; referenceId: string; status: string; fault: string | null }
type Check = {
  size: number
  accepted: number
  newRecipients: number
  total: number
  totals: { currency: string; rows: number; amount: string }[]
  isCovered: boolean
  outflow: string
  sameFile: string
  faults: { line: number; fault: string; reason: string }[]
  confirmation: string
}
type Data = Batch & { check?: Check; batch?: Batch; rows: Row[]; nextCursor: string }

let world: ApiWorld
let books: Pool
let owner: VisitingUser
let clerk: VisitingUser
let ada: VisitingUser
let ben: VisitingUser
let now = Date.now()
const clock = () => new Date(now)
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, clock)
  books = createPool(ownerUrl, 2)
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
  await world.fund('100000')
  owner = await addMember(world, world.ours, 'owner')
  clerk = await addMember(world, world.ours, 'accountant')
  ada = await addPerson(world, 'test')
  ben = await addPerson(world, 'test', { otherNames: 'Ben' })
})
afterAll(async () => {
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.close()
})

const nameOf = ({ person }: VisitingUser): string => person.username ?? ''
const fileOf = (...rows: string[]): string => ['recipient,amount,currency,reference,note', ...rows].join('\n')
const send = (csv: string, more: object = {}, as?: WorldMerchant) =>
  world.post<Data>(path, { csv, currency: 'USD', ...more }, as)
const checkFile = async (csv: string): Promise<Check> => {
  const { check } = (await send(csv)).data
  if (check === undefined) throw new Error('The file was not checked.')
  return check
}
const submit = async (csv: string, referenceId: string = world.newId()) => {
  const { confirmation } = await checkFile(csv)
  return send(csv, { confirmation, referenceId })
}
const look = async (id: string): Promise<Batch> => (await world.get<Data>(`${path}/${id}`)).data
const listRows = async (id: string, query = ''): Promise<Row[]> => {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { data } = await world.get<Data>(`${path}/${id}/rows?limit=100${cursor}${query}`)
    rows.push(...data.rows)
    if (data.nextCursor === '') return rows
    cursor = `&cursor=${data.nextCursor}`
  }
}
const walletOf = async (person: VisitingUser): Promise<number> => {
  const { balances } = (await person.get('/wallet')).json().data as {
    balances: { currency: string; available: string }[]
  }
  return Number(balances.find(({ currency }) => currency === 'USD')?.available ?? 0)
}
const noLimits = { daily: 'none', approvalAbove: 'none', newRecipientHours: 0 } as const
const limit = async (limits: Partial<Record<keyof typeof noLimits, number | 'none'>>): Promise<void> => {
  const set = (to: object) => owner.post('/merchant/outflow-limits', { ...noLimits, ...to, pin })
  restoreAfterTest(() => set({}))
  expect((await set(limits)).status).toBe(200)
}

test('a file is checked first: every bad row is explained, and nothing is paid', async () => {
  const before = await world.balance()
  await world.post('/merchant-integrations-server/payout', {
    ...{ amount: 1, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD', referenceId: 'used' },
    platformUsernameOrEmail: nameOf(ada),
  })
  const check = await checkFile(
    fileOf(
      `${nameOf(ada)},10,USD,,June`,
      `nobody_at_all,10,USD,,`,
      `${nameOf(ben)},ten,USD,,`,
      `${nameOf(ben)},1.005,USD,,`,
      `${nameOf(ben)},0,USD,,`,
      `${ada.person.email},10.00,,,`,
      `${nameOf(ada)},10,USD,one,`,
      `${nameOf(ben)},20,USD,one,`,
      `${nameOf(ben)},20,USD,used,`,
      `${nameOf(ben)},20,EUR,,`,
      `${nameOf(ben)},20,XYZ,,`,
      `,20,USD,,`,
      `${nameOf(ben)},20,USD,a b,`,
    ),
  )
  expect(check.faults.map(({ line, fault }) => [line, fault])).toEqual([
    [3, 'RECIPIENT_UNKNOWN'],
    [4, 'AMOUNT_INVALID'],
    [5, 'AMOUNT_INVALID'],
    [6, 'AMOUNT_OUT_OF_RANGE'],
    [7, 'ROW_DOUBLED'],
    [9, 'REFERENCE_DOUBLED'],
    [10, 'REFERENCE_TAKEN'],
    [11, 'CURRENCY_OTHER'],
    [12, 'CURRENCY_UNKNOWN'],
    [13, 'RECIPIENT_MISSING'],
    [14, 'REFERENCE_INVALID'],
  ])
  expect(check.faults.every(({ reason }) => reason.length > 10)).toBe(true)
  expect(check).toMatchObject({ size: 13, accepted: 2, total: 20, isCovered: true, outflow: 'sent' })
  expect(check.totals).toContainEqual({ currency: 'EUR', rows: 1, amount: '20.00' })
  expect(before - (await world.balance())).toBeCloseTo(1, 9)
})

test('the accepted rows are paid by a worker, each with its own reference, and the file is one result', async () => {
  const [before, had] = [await world.balance(), await walletOf(ada)]
  const reply = await submit(fileOf(`${nameOf(ada)},10,,row-one,June`, 'nobody,5,,,', `${nameOf(ben)},2.50,,,`), 'june')
  expect(reply.data.batch).toMatchObject({ status: 'paying', size: 3, paid: 0, refused: 1, total: 12.5 })
  expect(await world.balance()).toBe(before - 12.5)
  const id = reply.data.batch?.id ?? ''
  await world.work()
  expect(await look(id)).toMatchObject({ status: 'done', paid: 2, refused: 1, returned: '0.00' })
  expect(await walletOf(ada)).toBe(had + 10)
  expect(await listRows(id)).toMatchObject([
    { line: 2, name: 'Ada Obi', amount: '10.00', referenceId: 'row-one', status: 'paid', fault: null },
    { line: 3, status: 'refused', fault: 'RECIPIENT_UNKNOWN', referenceId: '' },
    { line: 4, referenceId: `${id}-3`, status: 'paid' },
  ])
  expect(await listRows(id, '&status=refused')).toHaveLength(1)
  expect(await world.get(`/merchant-integrations-server/verify-transaction/row-one`)).toMatchObject({
    data: { type: 'PAYOUT', status: 'COMPLETED', amount: 10, metaData: 'June' },
  })
})

test('a file is submitted once per reference, and not if anything has changed since its check', async () => {
  const csv = fileOf(`${nameOf(ada)},3,,,`)
  const { confirmation } = await checkFile(csv)
  const before = await world.balance()
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => send(csv, { confirmation, referenceId: 'five-times' })),
  )
  expect(new Set(replies.map(({ data }) => data.batch?.id)).size).toBe(1)
  expect(await world.balance()).toBe(before - 3)
  expect((await send(fileOf(`${nameOf(ada)},4,,,`), { confirmation })).error?.code).toBe('PAYOUT_FILE_CHANGED')
  expect((await checkFile(csv)).sameFile).toBe('five-times')
  const eve = await addPerson(world, 'test')
  const late = fileOf(`${nameOf(ada)},5,,,`, `${nameOf(eve)},5,,,`)
  const checked = await checkFile(late)
  await setStanding(world.pool, eve.person.id, { isActive: false })
  expect((await send(late, { confirmation: checked.confirmation })).error?.code).toBe('PAYOUT_FILE_CHANGED')
  await world.work()
})

test('a row that can no longer be paid is explained, and its amount goes back to the balance', async () => {
  const eve = await addPerson(world, 'test')
  const before = await world.balance()
  const { data } = await submit(fileOf(`${nameOf(eve)},7,,,`, `${nameOf(ada)},8,,squatted,`, `${nameOf(ben)},9,,,`))
  await setStanding(world.pool, eve.person.id, { isActive: false })
  const taken = await world.post('/merchant-integrations-server/vouchers', {
    ...{ amount: 1, currency: 'USD', referenceId: 'squatted' },
  })
  expect(taken.status).toBe(200)
  await world.work()
  const id = data.batch?.id ?? ''
  expect(await look(id)).toMatchObject({ status: 'done', paid: 1, refused: 2, returned: '15.00' })
  expect((await listRows(id)).map(({ fault }) => fault)).toEqual(['RECIPIENT_GONE', 'REFERENCE_TAKEN', null])
  expect(before - (await world.balance())).toBeCloseTo(10, 9)
})

test('a file above the threshold waits for a second person, is sent whole, and a canceled one pays nothing', async () => {
  await limit({ approvalAbove: 20 })
  const before = await world.balance()
  const csv = fileOf(`${nameOf(ada)},15,,,`, `${nameOf(ben)},15,,,`)
  const check = await checkFile(csv)
  // Each row alone is below the threshold.
  expect(check.outflow).toBe('needs_approval')
  const ask = { csv, currency: 'USD', confirmation: check.confirmation }
  expect((await clerk.post(path, { ...ask, referenceId: 'salaries' })).json().error?.code).toBe('CONFIRMATION_MISSING')
  for (const referenceId of ['salaries', 'withdrawn']) {
    const waiting = await clerk.post(path, { ...ask, referenceId, pin })
    expect(waiting.as<object>()).toMatchObject({ status: 'PENDING', data: { referenceId, amount: 30 } })
  }
  expect((await clerk.get('/merchant/outflows')).json().data.outflows).toMatchObject([
    { kind: 'payout_batch', reference: 'withdrawn' },
    { kind: 'payout_batch', reference: 'salaries', recipient: 'Ada Obi +1', amount: '30.00' },
  ])
  await world.work()
  expect(await world.balance()).toBe(before - 60)
  const batches = (await world.get<{ batches: Batch[] }>(path)).data.batches
  expect(batches.slice(0, 2).map(({ status }) => status)).toEqual(['waiting', 'waiting'])
  const own = await clerk.post('/merchant/outflows/salaries/approve', { pin })
  expect(own.json().error?.code).toBe('OUTFLOW_SAME_PERSON')
  expect((await owner.post('/merchant/outflows/salaries/approve', { pin })).status).toBe(200)
  expect((await world.post('/merchant-integrations-server/outflows/withdrawn/cancel', {})).status).toBe(200)
  await world.work()
  expect(await look(batches[1]?.id ?? '')).toMatchObject({ status: 'done', paid: 2 })
  expect(await look(batches[0]?.id ?? '')).toMatchObject({ status: 'canceled', paid: 0 })
  expect(await world.balance()).toBe(before - 30)
})

test('splitting an amount over rows and files does not escape the daily limit', async () => {
  now += 25 * 3_600_000
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
  await limit({ daily: 30 })
  const rows = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => `${nameOf(ada)},1,,split-${from + i},`)
  expect((await submit(fileOf(...rows(20, 0)))).status).toBe(200)
  expect((await checkFile(fileOf(...rows(11, 20)))).outflow).toBe('above_daily')
  expect((await submit(fileOf(...rows(11, 20)))).error?.code).toBe('OUTFLOW_ABOVE_DAILY')
  expect((await checkFile(fileOf(`${nameOf(ada)},31,,,`))).faults[0]?.fault).toBe('ABOVE_DAILY')
  expect((await submit(fileOf(...rows(10, 20)))).status).toBe(200)
  await world.work()
  now += 25 * 3_600_000
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
})

test('a file with one new recipient waits as a payout to that recipient does', async () => {
  await limit({ newRecipientHours: 24 })
  const eve = await addPerson(world, 'test')
  const csv = fileOf(`${nameOf(ada)},1,,,`, `${nameOf(eve)},1,,,`)
  expect(await checkFile(csv)).toMatchObject({ outflow: 'delayed', newRecipients: 1 })
  expect((await submit(csv)).text).toContain('"status":"APPROVED"')
  await world.work()
  expect(await walletOf(eve)).toBe(0)
  now += 24 * 3_600_000
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
  await world.work()
  await world.work()
  expect(await walletOf(eve)).toBe(1)
})

// `npm run drill -- payouts` pays 1,000 rows while workers are killed.
test('concurrent workers pay each good row once and explain each bad one', { timeout: 120_000 }, async () => {
  const people = [ada, ben]
  const good = Array.from({ length: 150 }, (_, i) => `${nameOf(people[i % 2] ?? ada)},${(1 + i / 100).toFixed(2)},,,`)
  const doubled = good.slice(0, 30)
  const bad = Array.from({ length: 20 }, (_, i) => `ghost_${i},1,,,`)
  const before = { shop: await world.balance(), ada: await walletOf(ada), ben: await walletOf(ben) }
  const { data } = await submit(fileOf(...good, ...doubled, ...bad))
  const id = data.batch?.id ?? ''
  await Promise.all([world.work(), world.work(), world.work()])
  await world.work()
  expect(await look(id)).toMatchObject({ status: 'done', size: 200, paid: 150, refused: 50 })
  const rows = await listRows(id)
  expect(rows.filter(({ fault }) => fault === 'ROW_DOUBLED')).toHaveLength(30)
  expect(rows.filter(({ fault }) => fault === 'RECIPIENT_UNKNOWN')).toHaveLength(20)
  expect(new Set(rows.flatMap(({ status, referenceId }) => (status === 'paid' ? [referenceId] : []))).size).toBe(150)
  const total = good.reduce((sum, _, i) => sum + 100 + i, 0) / 100
  expect(before.shop - (await world.balance())).toBeCloseTo(total, 6)
  expect((await walletOf(ada)) + (await walletOf(ben)) - before.ada - before.ben).toBeCloseTo(total, 6)
  const { rows: left } = await books.query<{ balance: bigint }>(
    `select balance from ledger_accounts where owner_id = $1 and kind = 'batch'`,
    [id],
  )
  expect(left).toEqual([{ balance: 0n }])
})

test('403 for cashiers and developers, 404 for another shop, 402 above the balance, 422 for a file that is no table', async () => {
  const csv = fileOf(`${nameOf(ada)},1,,,`)
  for (const role of ['cashier', 'developer']) {
    const member = await addMember(world, world.ours, role)
    expect([(await member.get(path)).status, (await member.post(path, { csv, currency: 'USD' })).status]).toEqual([
      403, 403,
    ])
  }
  const { data } = await submit(csv)
  const id = data.batch?.id ?? ''
  for (const end of ['', '/rows']) expect((await world.get(`${path}/${id}${end}`, world.theirs)).status).toBe(404)
  expect((await submit(fileOf(`${nameOf(ada)},900000,,,`))).error?.code).toBe('PAYOUT_BATCH_BALANCE_TOO_LOW')
  expect((await send('a,b\n1,2')).error?.code).toBe('PAYOUT_FILE_COLUMNS')
  expect((await send('recipient,amount\n')).error?.code).toBe('PAYOUT_FILE_EMPTY')
  expect((await send(fileOf('nobody,1,,,'), { confirmation: 'x' })).error?.code).toBe('PAYOUT_FILE_ALL_BAD')
  await world.work()
})
