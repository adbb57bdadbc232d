import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const SK = '/merchant-integrations-server'
const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs

type Voucher = { id: string; code: string; balance: number; expiresAt: string }
type Sale = { id: string; referenceId: string; value: number; price: number }
type Sold = { sale: Sale; voucher: Voucher }
type Reply<T> = { status: number; data: T; error?: { code: string } | undefined }

let world: ApiWorld
let owner: Pool
let mailbox: Mailbox
let ivy: VisitingUser
let ben: VisitingUser
// Only moved forward, since ids increase with it.
let aheadMs = 0
/** How far each reading of the clock moves it. */
let tickMs = 0
const clock = (): Date => new Date(Date.now() + (aheadMs += tickMs))

beforeAll(async () => {
  const database = await createTestDatabase()
  mailbox = await openMailbox(
    () => undefined,
    () => undefined,
    () => undefined,
  )
  world = await createApiWorld(database.url, clock, {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Scrip Pay <pay@scrip.example>',
  })
  owner = createPool(database.ownerUrl, 3)
  ivy = await addMember(world, world.ours, 'cashier')
  ben = await addMember(world, world.ours, 'cashier')
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await owner.end()
  await world.close()
  await mailbox.close()
})
beforeEach(() => {
  mailbox.received.length = 0
})

const post = async <T>(path: string, body: object): Promise<Reply<T>> => world.call('POST', path, { body })
const sale = { amount: 50, currency: 'USD', tender: 'cash' }
const sell = (terms: object = {}): Promise<Reply<Sold>> => post(`${SK}/voucher-sales`, { ...sale, ...terms })
const sold = async (terms: object = {}): Promise<Sold> => {
  const { data, status } = await sell(terms)
  expect(status).toBe(200)
  return data
}
const undo = ({ sale: { id } }: Sold) => post<Sold>(`${SK}/voucher-sales/${id}/void`, {})
const codeOf = ({ error }: Reply<unknown>): string => error?.code ?? ''

async function makeCard(terms: object): Promise<string> {
  const { data } = await post<{ id: string }>(`${SK}/voucher-cards`, { size: 1, currency: 'USD', ...terms })
  await world.work()
  const { text } = await world.call('GET', `${SK}/voucher-batches/${data.id}/vouchers.csv`)
  return text.split('\r\n')[1]?.split(',')[1] ?? ''
}

test('a retry of a sale shows the code to its seller, and not to a colleague who has read its reference', async () => {
  const first = (await ivy.post(`${SK}/voucher-sales`, sale)).as<{ data: Sold }>().data
  expect(first.voucher.code).not.toBe('')
  const listed = (await ben.get(`${SK}/voucher-sales?limit=1`)).as<{ data: { sales: Sale[] } }>().data.sales[0]
  const again = { ...sale, referenceId: listed?.referenceId }
  const seen = await ben.post(`${SK}/voucher-sales`, again)
  expect([seen.status, seen.as<{ data: Sold }>().data.sale.id]).toEqual([200, first.sale.id])
  expect(seen.text).not.toContain(first.voucher.code)
  expect((await ivy.post(`${SK}/voucher-sales`, again)).text).toContain(first.voucher.code)
})

test('unknown codes that a cashier sends are counted as guesses, at every endpoint that takes a code', async () => {
  const guesser = await addMember(world, world.ours, 'cashier')
  const voucherCode = '0000000000000000'
  const { sale: made } = await sold()
  const bodies: Record<string, object> = {
    'voucher-sales': { ...sale, voucherCode },
    'voucher-reloads': { voucherCode, amount: 1, tender: 'cash' },
    'voucher-cash-backs': { voucherCode, tender: 'cash' },
    'voucher-cash-backs/offer': { voucherCode },
    [`voucher-sales/${made.id}/void`]: { voucherCode },
  }
  const guess = async ([path, body]: [string, object]) => (await guesser.post(`${SK}/${path}`, body)).text
  const all = Object.entries(bodies)
  for (let n = 0; n < 20; n++) for (const each of all) expect(await guess(each)).toContain('VOUCHER_NOT_FOUND')
  for (const each of all) expect(await guess(each)).toContain('VOUCHER_GUESSING')
})

test('what is paid back is never more than what was paid, also if more is on the voucher than was sold', async () => {
  const body = { amount: 100, currency: 'USD', voucherType: 'store' }
  const { code } = (await post<Voucher>('/sandbox/vouchers', body)).data
  await post(`${SK}/voucher-reloads`, { voucherCode: code, amount: 1, tender: 'cash' })
  const { data } = await post<Sold>(`${SK}/voucher-cash-backs`, { voucherCode: code, tender: 'cash' })
  expect(data.sale).toMatchObject({ value: 101, price: 1 })
})

describe('undoing', () => {
  test('gives back what a sale counted, also if the hour changed while it was made', async () => {
    const counted = async (): Promise<string> => {
      const { rows } = await owner.query<{ sum: bigint }>('select coalesce(sum(total), 0)::text as sum from sale_hours')
      return String(rows[0]?.sum)
    }
    const before = await counted()
    tickMs = hourMs
    const made = await sold().finally(() => (tickMs = 0))
    expect(await counted()).not.toBe(before)
    expect((await undo(made)).status).toBe(200)
    expect(await counted()).toBe(before)
  })

  test('locks the shop before the float, as a sale does, so that the two never deadlock', async () => {
    const made = await sold()
    const other = await owner.connect()
    await other.query('begin')
    await other.query('select from merchant_environments where id = $1 for no key update', [world.ours.environmentId])
    const undone = undo(made)
    try {
      await expect
        .poll(async () => (await owner.query('select from pg_locks where not granted')).rowCount, { timeout: 4_000 })
        .toBe(1)
      const { rowCount } = await other.query(
        `select from ledger_accounts where kind = 'store_float' and owner_id = $1 for update nowait`,
        [world.ours.environmentId],
      )
      expect(rowCount).toBeGreaterThan(0)
    } finally {
      await other.query('rollback')
      other.release()
    }
    expect((await undone).status).toBe(200)
  })
})

describe('a card', () => {
  test('that expired on the shelf and is sold with a new expiry expires again', async () => {
    const card = await makeCard({ amount: 25, expiresAt: new Date(clock().getTime() + dayMs).toISOString() })
    aheadMs += 2 * dayMs
    await world.work()
    expect(codeOf(await sell({ voucherCode: card, amount: undefined }))).toBe('VOUCHER_EXPIRED')
    const expiresAt = new Date(clock().getTime() + dayMs).toISOString()
    const { voucher } = await sold({ voucherCode: card, amount: undefined, expiresAt })
    aheadMs += 2 * dayMs
    await world.work()
    const { rows } = await owner.query(`select balance::text from ledger_accounts where owner_id = $1`, [voucher.id])
    expect(rows).toEqual([{ balance: '0' }])
  })

  test('that is sold again has the expiry that is printed on it, and not that of the undone sale', async () => {
    const printed = new Date(clock().getTime() + 90 * dayMs).toISOString()
    const card = await makeCard({ amount: 25, expiresAt: printed })
    const terms = { voucherCode: card, amount: undefined }
    await undo(await sold({ ...terms, expiresAt: new Date(clock().getTime() + dayMs).toISOString() }))
    expect((await sold(terms)).voucher.expiresAt).toBe(printed)
  })
})

describe('after a quarter of an hour', () => {
  const later = 16 * 60_000

  test('a cashier cannot undo a sale, and keep the money of a customer who has left', async () => {
    const { sale: made, voucher } = (await ivy.post(`${SK}/voucher-sales`, sale)).as<{ data: Sold }>().data
    aheadMs += later
    const body = { voucherCode: voucher.code }
    expect((await ivy.post(`${SK}/voucher-sales/${made.id}/void`, body)).text).toContain('SALE_VOID_LATE')
    expect((await undo({ sale: made, voucher })).status).toBe(200)
  })

  test('a card is not sold again, because the first customer may know its code', async () => {
    const card = await makeCard({ amount: 25 })
    const terms = { voucherCode: card, amount: undefined }
    await undo(await sold(terms))
    const second = await sold(terms)
    aheadMs += later
    expect((await undo(second)).status).toBe(200)
    expect(codeOf(await sell(terms))).toBe('CARD_NOT_FOR_SALE')
  })
})

test('a card is unknown to another shop with its secret key, before and after it is sold', async () => {
  const card = await makeCard({ amount: 25 })
  const look = async () => {
    const body = { voucherCode: card }
    return codeOf(await world.call('POST', '/merchant-integrations/verify-voucher', { body, as: world.theirs }))
  }
  expect(await look()).toBe('VOUCHER_NOT_FOUND')
  await sold({ voucherCode: card, amount: undefined })
  expect(await look()).toBe('VOUCHER_NOT_FOUND')
})

describe('a gift', () => {
  const gift = { email: 'eve@example.com' }
  const inTwoDays = (): string => new Date(clock().getTime() + 2 * dayMs).toISOString()
  const sendTo = (by: VisitingUser, { voucher: { id } }: Sold, body: object = {}) =>
    by.post(`${SK}/vouchers/${id}/send`, body)

  test('is sent again by a cashier to the same address only, and by others to another with their PIN', async () => {
    const made = await sold({ gift })
    const email = 'ivy@example.com'
    expect((await sendTo(ivy, made, { email, pin })).text).toContain('GIFT_ADDRESS_FIXED')
    expect((await sendTo(ivy, made)).status).toBe(200)
    expect((await sendTo(ivy, made, { email: 'EVE@example.com', pin })).status).toBe(200)
    const boss = await addMember(world, world.ours, 'accountant')
    expect((await sendTo(boss, made, { email })).text).toContain('CONFIRMATION_MISSING')
    expect((await sendTo(boss, made, { email, pin })).status).toBe(200)
  })

  test('whose address was corrected before its day is not in the wallet of the wrong person', async () => {
    const [wrong, right] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
    const made = await sold({ gift: { email: wrong.person.email, sendAt: inTwoDays() } })
    await post(`${SK}/vouchers/${made.voucher.id}/send`, { email: right.person.email })
    await world.work()
    const recipients = mailbox.received.flatMap((mail) => mail.recipients)
    expect(recipients).toContain(right.person.email)
    expect(recipients).not.toContain(wrong.person.email)
    expect((await wrong.get('/wallet/vouchers')).text).not.toContain(made.voucher.id)
  })

  test('is not sold for a day on which its voucher has expired', async () => {
    const expiresAt = new Date(clock().getTime() + dayMs).toISOString()
    expect(codeOf(await sell({ expiresAt, gift: { ...gift, sendAt: inTwoDays() } }))).toBe('GIFT_DATE_INVALID')
  })

  test('that waits for its day is sent with the code of the voucher that replaced its own, and not seen before', async () => {
    const eve = await addPerson(world, 'test')
    const made = await sold({ gift: { email: eve.person.email, sendAt: inTwoDays() } })
    const { data: fresh } = await post<Voucher>(`${SK}/vouchers/${made.voucher.id}/replace`, {})
    const listed = async (): Promise<string> => (await eve.get('/wallet/vouchers')).text
    expect(await listed()).not.toContain(fresh.id)
    aheadMs += 3 * dayMs
    // The first run writes the email, the second sends it.
    await world.work()
    await world.work()
    const mails = mailbox.received.filter(({ recipients }) => recipients.includes(eve.person.email))
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain(fresh.code)
    expect(await listed()).toContain(fresh.id)
  })
})
