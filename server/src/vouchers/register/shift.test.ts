import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, type VisitingUser } from '../../../local/test/visitor.ts'

const SK = '/merchant-integrations-server'

type Id = { id: string }
type Shift = Id & { expected: number | null; counted: number | null; difference: number | null; note: string }
type Location = Id & { name: string; registers: (Id & { name: string })[] }
type Report = { tenders: Record<string, string | number>[]; shifts: Shift[] }

let world: ApiWorld
let boss: VisitingUser
let ivy: VisitingUser
let location: string
beforeAll(async () => {
  const { url } = await createTestDatabase()
  world = await createApiWorld(url)
  boss = await addMember(world, world.ours, 'owner')
  ivy = await addMember(world, world.ours, 'cashier')
  location = await add(`${SK}/locations`, { name: 'High Street', address: '1 High Street' })
})
afterAll(() => world.close())

async function add(path: string, body: object): Promise<string> {
  const reply = await boss.post(path, body)
  expect(reply.status, reply.text).toBe(200)
  return reply.as<{ data: Id }>().data.id
}
let registers = 0
const addRegister = (): Promise<string> => add(`${SK}/locations/${location}/registers`, { name: `Till ${++registers}` })
const open = (registerId: string, openingFloat = 100, currency = 'USD') =>
  ivy.post('/merchant/shifts', { registerId, currency, openingFloat })
const opened = async (registerId: string): Promise<string> => (await open(registerId)).as<{ data: Shift }>().data.id
const close = (id: string, counted: number, note = '') => ivy.post(`/merchant/shifts/${id}/close`, { counted, note })
const sell = (terms: object, by = ivy) =>
  by.post(`${SK}/voucher-sales`, { amount: 50, currency: 'USD', tender: 'cash', ...terms })

test('a shift counts the cash of its drawer: sales, reloads, undone sales and cash back', async () => {
  const registerId = await addRegister()
  const shift = await opened(registerId)
  type Sold = { data: { sale: Id; voucher: { code: string } } }
  const first = (await sell({ registerId })).as<Sold>().data
  const second = (await sell({ registerId })).as<Sold>().data
  await sell({ registerId, tender: 'card' })
  const { code: voucherCode } = first.voucher
  const more = { voucherCode, amount: 20, tender: 'cash', registerId }
  expect((await ivy.post(`${SK}/voucher-reloads`, more)).status).toBe(200)
  const undone = { voucherCode: second.voucher.code, registerId }
  expect((await ivy.post(`${SK}/voucher-sales/${second.sale.id}/void`, undone)).status).toBe(200)
  const back = { voucherCode, tender: 'cash', registerId }
  expect((await ivy.post(`${SK}/voucher-cash-backs`, back)).status).toBe(200)
  await sell({ registerId, amount: 7 })
  expect((await close(shift, 100)).text).toContain('SHIFT_NOTE_MISSING')
  const closed = (await close(shift, 105.5, 'one coin missing')).as<{ data: Shift }>().data
  // 100 + 50 + 50 + 20 - 50 - 70 + 7
  expect(closed).toMatchObject({ expected: 107, counted: 105.5, difference: -1.5, note: 'one coin missing' })
  expect((await close(shift, 107)).text).toContain('SHIFT_CLOSED')
})

test('cash at a register needs an open shift with a drawer of its currency, other tenders do not', async () => {
  const registerId = await addRegister()
  expect((await sell({ registerId })).text).toContain('SHIFT_MISSING')
  expect((await sell({ registerId, tender: 'card' })).status).toBe(200)
  await opened(registerId)
  expect((await sell({ registerId, currency: 'JPY' })).text).toContain('SHIFT_CURRENCY')
  expect((await sell({ registerId })).status).toBe(200)
})

test('one shift at a time is open on a register', async () => {
  const registerId = await addRegister()
  const replies = await Promise.all(Array.from({ length: 5 }, () => open(registerId)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const { shift } = (await ivy.get(`/merchant/registers/${registerId}/shift`)).as<{ data: { shift: Shift } }>().data
  expect((await close(shift.id, 100)).status).toBe(200)
  expect((await open(registerId)).status).toBe(200)
})

test('no sale is left out of a shift that is closed at the same time', async () => {
  const registerId = await addRegister()
  for (let round = 0; round < 5; round++) {
    const shift = await opened(registerId)
    const selling = Array.from({ length: 6 }, () => sell({ registerId, amount: 1 }))
    const closing = close(shift, 0, 'counted')
    const sold = (await Promise.all(selling)).filter(({ status }) => status === 200).length
    const { expected } = (await closing).as<{ data: Shift }>().data
    expect(expected).toBe(100 + sold)
  }
})

test('the report of the day counts tenders by cashier and shift, and shows a cashier only their own', async () => {
  const registerId = await addRegister()
  const ben = await addMember(world, world.ours, 'cashier')
  const shift = (await ben.post('/merchant/shifts', { registerId, currency: 'USD', openingFloat: 10 })).as<{
    data: Shift
  }>().data.id
  await sell({ registerId, amount: 30 }, ben)
  await sell({ registerId, amount: 40, tender: 'card' }, ben)
  const report = (await ben.get('/merchant/sales-report')).as<{ data: Report }>().data
  expect(report.tenders).toEqual([
    expect.objectContaining({ shiftId: shift, tender: 'card', currency: 'USD', sold: 1, taken: '40.00' }),
    expect.objectContaining({
      shiftId: shift,
      tender: 'cash',
      currency: 'USD',
      sold: 1,
      taken: '30.00',
      given: '0.00',
    }),
  ])
  expect(report.shifts.map(({ id }) => id)).toEqual([shift])
  const all = (await boss.get('/merchant/sales-report')).as<{ data: Report }>().data
  expect(all.tenders.length).toBeGreaterThan(2)
})

test('a register with an open shift is not removed, and names differ within a location', async () => {
  const registerId = await addRegister()
  const shift = await opened(registerId)
  const remove = (path: string) => boss.ask('DELETE', `${SK}/${path}`)
  expect((await remove(`registers/${registerId}`)).text).toContain('REGISTER_IN_USE')
  expect((await remove(`locations/${location}`)).text).toContain('REGISTER_IN_USE')
  await close(shift, 100)
  expect((await remove(`registers/${registerId}`)).status).toBe(200)
  expect((await open(registerId)).text).toContain('REGISTER_NOT_FOUND')
  const taken = await boss.post(`${SK}/locations/${location}/registers`, { name: `TILL ${registers - 1}` })
  expect(taken.text).toContain('REGISTER_NAME_TAKEN')
  expect((await boss.post(`${SK}/locations`, { name: 'high street' })).text).toContain('LOCATION_NAME_TAKEN')
})

test('no merchant sees or uses the locations, registers and shifts of another', async () => {
  const registerId = await addRegister()
  const shift = await opened(registerId)
  const they = await addMember(world, world.theirs, 'owner')
  const theirs = (await they.get(`${SK}/locations`)).as<{ data: { locations: Location[] } }>().data
  expect(theirs.locations).toEqual([])
  expect((await they.post(`${SK}/locations/${location}`, { name: 'Ours' })).status).toBe(404)
  expect((await they.post(`${SK}/locations/${location}/registers`, { name: 'Ours' })).status).toBe(404)
  expect((await they.post('/merchant/shifts', { registerId, currency: 'USD', openingFloat: 0 })).status).toBe(404)
  expect((await they.post(`/merchant/shifts/${shift}/close`, { counted: 100 })).status).toBe(404)
  expect((await sell({ registerId, tender: 'card' }, they)).text).toContain('REGISTER_NOT_FOUND')
})
