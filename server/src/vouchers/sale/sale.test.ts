import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const hourMs = 60 * 60 * 1_000

type Voucher = { id: string; code: string; balance: number; amount: number; state: string; voucherType: string }
type Sale = {
  id: string
  kind: string
  value: number
  price: number
  tender: string
  isUndone: boolean
  soldBy: string
}
type Sold = { sale: Sale; voucher: Voucher }
type Reply<T> = { status: number; data: T; error?: { code: string } | undefined }

let world: ApiWorld
let owner: Pool
let mailbox: Mailbox
let cashier: VisitingUser
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = (): Date => new Date(Date.now() + aheadMs)

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
  owner = createPool(database.ownerUrl, 2)
  cashier = await addMember(world, world.ours, 'cashier')
})
afterAll(async () => {
  const { rows } = await owner.query<{ sum: bigint }>(
    `select sum(balance) as sum from ledger_accounts where kind in ('store_float', 'store_voucher')`,
  )
  expect(Number(rows[0]?.sum)).toBe(0)
  expect(await verifyLedger(world.pool)).toEqual([])
  expect(world.logged()).not.toMatch(/4821/)
  await owner.end()
  await world.close()
  await mailbox.close()
})
beforeEach(() => {
  mailbox.received.length = 0
})

const post = async <T>(path: string, body: object): Promise<Reply<T>> => world.call('POST', path, { body })
const sell = (terms: object = {}): Promise<Reply<Sold>> =>
  post(`${SK}/voucher-sales`, { amount: 50, currency: 'USD', tender: 'cash', ...terms })
const sold = async (terms: object = {}): Promise<Sold> => {
  const { data, status } = await sell(terms)
  expect(status).toBe(200)
  return data
}
const reload = (voucherCode: string, terms: object = {}): Promise<Reply<Sold>> =>
  post(`${SK}/voucher-reloads`, { voucherCode, amount: 20, tender: 'card', ...terms })
const redeem = (voucherCode: string, amount: number | 'max') =>
  post<{ referenceId: string }>(`${PK}/redeem-voucher`, { voucherCode, amount })
const verify = async (voucherCode: string): Promise<Voucher> =>
  (await post<Voucher>(`${PK}/verify-voucher`, { voucherCode })).data
const voidOf = ({ sale, voucher }: Sold, terms: object = {}): Promise<Reply<Sold>> =>
  post(`${SK}/voucher-sales/${sale.id}/void`, { voucherCode: voucher.code, reason: 'mistyped', ...terms })
const payBack = (voucherCode: string, terms: object = {}): Promise<Reply<Sold>> =>
  post(`${SK}/voucher-cash-backs`, { voucherCode, tender: 'cash', ...terms })
const offer = (voucherCode: string, terms: object = {}) =>
  post<{ value: number; price: number }>(`${SK}/voucher-cash-backs/offer`, { voucherCode, ...terms })
const codeOf = ({ error }: Reply<unknown>): string => error?.code ?? ''

/** Cards of an inactive batch with their codes. */
async function makeCards(terms: object = {}): Promise<string[]> {
  const { data } = await post<{ id: string }>(`${SK}/voucher-cards`, { size: 2, currency: 'USD', ...terms })
  await world.work()
  const { text } = await world.call('GET', `${SK}/voucher-batches/${data.id}/vouchers.csv`)
  return text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[1] ?? '')
}

describe('a sale', () => {
  test('gives a store voucher for money that the shop took, and the balance of the shop stays as it is', async () => {
    await world.fund(5)
    const before = await world.balance()
    const { sale, voucher } = await sold({ tender: 'card', tenderReference: 'slip 17' })
    expect(sale).toMatchObject({ kind: 'sale', value: 50, price: 50, tender: 'card', tenderReference: 'slip 17' })
    expect(voucher).toMatchObject({ balance: 50, state: 'open', voucherType: 'store' })
    expect((await redeem(voucher.code, 20)).status).toBe(200)
    expect((await verify(voucher.code)).balance).toBe(30)
    expect(await world.balance()).toBe(before)
  })

  test('is made once per reference, and a reference with other terms is refused', async () => {
    const terms = { referenceId: world.newId() }
    const [first, again] = [await sold(terms), await sold(terms)]
    expect(again.voucher).toEqual(first.voucher)
    expect(codeOf(await sell({ ...terms, price: 40 }))).toBe('REFERENCE_TAKEN')
    const { rows } = await owner.query(`select from voucher_sales where reference = $1`, [terms.referenceId])
    expect(rows).toHaveLength(1)
  })

  test('of 20 concurrent requests with one reference sells one voucher', async () => {
    const referenceId = world.newId()
    const replies = await Promise.all(Array.from({ length: 20 }, () => sell({ referenceId })))
    expect(new Set(replies.map(({ data }) => data.voucher.code)).size).toBe(1)
  })

  test('has a PIN if the customer wants one', async () => {
    const { voucher } = await sold({ lockPin: '4821' })
    expect(codeOf(await redeem(voucher.code, 1))).toBe('VOUCHER_PIN_MISSING')
  })

  test.each([
    [{ price: 60 }, 'SALE_PRICE_ABOVE_VALUE'],
    [{ price: 0 }, 'SALE_PRICE_MISSING'],
    [{ tender: 'free' }, 'SALE_REASON_MISSING'],
    [{ tender: 'free', reason: 'apology', price: 5 }, 'SALE_FREE_HAS_PRICE'],
    [{ tender: 'other' }, 'SALE_TENDER_REFERENCE_MISSING'],
    [{ amount: undefined }, 'SALE_AMOUNT_MISSING'],
    [{ amount: 1.005 }, 'AMOUNT_TOO_PRECISE'],
    [{ registerId: '01900000-0000-7000-8000-000000000001' }, 'REGISTER_NOT_FOUND'],
    [{ voucherCode: 'ABCD-EFGH-JKMN-PQRS' }, 'VOUCHER_NOT_FOUND'],
  ])('with %j is refused with %s', async (terms, code) => {
    expect(codeOf(await sell(terms))).toBe(code)
  })

  test('for less than its value, or for free, is confirmed by the PIN of the staff member', async () => {
    const body = { amount: 10, currency: 'USD', tender: 'free', reason: 'apology' }
    const refused = await cashier.post(`${SK}/voucher-sales`, body)
    expect(refused.text).toContain('CONFIRMATION_MISSING')
    expect((await cashier.post(`${SK}/voucher-sales`, { ...body, pin })).status).toBe(200)
  })

  test('is recorded with its price and its cashier, and can be read for a receipt', async () => {
    const body = { amount: 60, currency: 'USD', tender: 'cash', price: '50.00', pin }
    const { sale } = (await cashier.post(`${SK}/voucher-sales`, body)).as<{ data: Sold }>().data
    expect(sale).toMatchObject({ value: 60, price: 50, soldBy: 'Ada Obi' })
    const { data } = await world.call<Sale>('GET', `${SK}/voucher-sales/${sale.id}`)
    expect(data).toEqual(sale)
    const { data: list } = await world.call<{ sales: Sale[] }>('GET', `${SK}/voucher-sales?limit=1`)
    expect(list.sales).toEqual([sale])
  })
})

describe('a card of an inactive batch', () => {
  test('is worthless and looks unknown until it is sold', async () => {
    const [card = ''] = await makeCards({ amount: 25 })
    const hidden = await world.call('POST', `${PK}/verify-voucher`, { body: { voucherCode: card }, keys: 'public' })
    expect([hidden.status, hidden.error?.code]).toEqual([404, 'VOUCHER_NOT_FOUND'])
    expect(codeOf(await redeem(card, 1))).toBe('VOUCHER_INACTIVE')
    const held = await post(`${PK}/voucher-holds`, { voucherCode: card, amount: 1 })
    expect(codeOf(held)).toBe('VOUCHER_INACTIVE')
    const page = await world.call('POST', '/vouchers/look-up', { body: { code: card }, keys: 'none' })
    expect(page.status).toBe(404)
    const { voucher } = await sold({ voucherCode: card, amount: undefined })
    expect(voucher).toMatchObject({ balance: 25, amount: 25, state: 'open' })
    expect((await redeem(card, 'max')).status).toBe(200)
  })

  test('is sold once', async () => {
    const [card = '', other = ''] = await makeCards()
    const replies = await Promise.all([30, 40].map((amount) => sell({ voucherCode: card, amount })))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    expect(codeOf(await reload(other))).toBe('VOUCHER_INACTIVE')
  })

  test('with a printed amount is sold with that, in its currency, and not as a gift by email', async () => {
    const [card = ''] = await makeCards({ amount: 25 })
    expect(codeOf(await sell({ voucherCode: card, amount: 30 }))).toBe('SALE_AMOUNT_FIXED')
    expect(codeOf(await sell({ voucherCode: card, currency: 'JPY', amount: 25 }))).toBe('SALE_CURRENCY')
    const gift = { email: 'eve@example.com' }
    expect(codeOf(await sell({ voucherCode: card, amount: undefined, gift }))).toBe('GIFT_IS_CARD')
    const { voucher } = await sold()
    expect(codeOf(await sell({ voucherCode: voucher.code }))).toBe('CARD_NOT_FOR_SALE')
  })

  test('can be sold again after its sale was undone', async () => {
    const [card = ''] = await makeCards()
    const first = await sold({ voucherCode: card, amount: 15 })
    expect((await voidOf({ ...first, voucher: { ...first.voucher, code: card } })).status).toBe(200)
    expect(codeOf(await redeem(card, 1))).toBe('VOUCHER_INACTIVE')
    expect((await sold({ voucherCode: card, amount: 40 })).voucher).toMatchObject({ balance: 40, amount: 40 })
  })

  test('of another shop cannot be sold', async () => {
    const [card = ''] = await makeCards({ amount: 25 })
    const body = { currency: 'USD', tender: 'cash', voucherCode: card }
    const refused = await world.call('POST', `${SK}/voucher-sales`, { body, as: world.theirs })
    expect([refused.status, refused.error?.code]).toEqual([404, 'VOUCHER_NOT_FOUND'])
  })
})

describe('a till', () => {
  type LookedUp = { voucher: Voucher; undoable: Sale | null }
  const lookUp = async (who: VisitingUser, voucherCode: string): Promise<LookedUp> =>
    (await who.post('/merchant/till/store-voucher', { voucherCode })).as<{ data: LookedUp }>().data

  test('sees a card before it is sold, with its printed amount and without its code', async () => {
    const [card = ''] = await makeCards({ amount: 25 })
    const { voucher, undoable } = await lookUp(cashier, card)
    expect([voucher.state, voucher.amount, voucher.code, undoable]).toEqual(['inactive', 25, '', null])
  })

  test('sees what can be undone: the last sale or reload, until something of it is spent', async () => {
    const { sale, voucher } = await sold()
    expect((await lookUp(cashier, voucher.code)).undoable?.id).toBe(sale.id)
    const { data } = await reload(voucher.code)
    expect((await lookUp(cashier, voucher.code)).undoable?.id).toBe(data.sale.id)
    await redeem(voucher.code, 1)
    expect((await lookUp(cashier, voucher.code)).undoable).toBeNull()
  })

  test('sees no voucher of another shop, and none that was paid from a balance', async () => {
    await world.fund(10)
    const platform = await cashier.post('/merchant/till/store-voucher', { voucherCode: await world.voucher(5) })
    expect(platform.text).toContain('VOUCHER_NOT_STORE')
    const stranger = await addMember(world, world.theirs, 'cashier')
    const body = { voucherCode: (await sold()).voucher.code }
    expect((await stranger.post('/merchant/till/store-voucher', body)).text).toContain('VOUCHER_NOT_FOUND')
  })
})

test('direct SQL changes no amount of a sold voucher, and activates no voucher that is not a card', async () => {
  const { voucher } = await sold()
  const change = (set: string) => owner.query(`update vouchers set ${set} where id = $1`, [voucher.id])
  await expect(change('amount = 9999')).rejects.toThrow(/never changes/)
  await expect(change('is_active = false')).rejects.toThrow(/only a card/)
})

describe('a reload', () => {
  test('adds value, is made once, and shows in the history without a code', async () => {
    const { voucher } = await sold()
    const terms = { referenceId: world.newId() }
    await reload(voucher.code, terms)
    const { data } = await reload(voucher.code, terms)
    expect(data.voucher).toMatchObject({ balance: 70, code: '' })
    expect((await verify(voucher.code)).balance).toBe(70)
  })

  test('is refused for vouchers of a balance, and for ones that are closed or of another shop', async () => {
    await world.fund(100)
    const platform = await world.voucher(10)
    expect(codeOf(await reload(platform))).toBe('VOUCHER_NOT_STORE')
    const closed = await sold()
    await voidOf(closed)
    expect(codeOf(await reload(closed.voucher.code))).toBe('VOUCHER_CANCELLED')
    const body = { voucherCode: (await sold()).voucher.code, amount: 5, tender: 'cash' }
    const foreign = await world.call('POST', `${SK}/voucher-reloads`, { body, as: world.theirs })
    expect(foreign.error?.code).toBe('VOUCHER_NOT_FOUND')
  })
})

describe('undoing', () => {
  test('closes a voucher that was not used and gives back its price, once', async () => {
    const made = await sold({ price: 40 })
    const terms = { referenceId: world.newId() }
    const { data } = await voidOf(made, terms)
    expect(data.sale).toMatchObject({ kind: 'void', value: 50, price: 40 })
    expect((await voidOf(made, terms)).data.sale.id).toBe(data.sale.id)
    expect(codeOf(await voidOf(made))).toBe('SALE_UNDONE')
    expect(codeOf(await redeem(made.voucher.code, 1))).toBe('VOUCHER_CANCELLED')
  })

  test('is refused once anything was spent, held, refunded or added since', async () => {
    const spent = await sold()
    const { data } = await redeem(spent.voucher.code, 1)
    expect(codeOf(await voidOf(spent))).toBe('SALE_USED')
    const refund = { referenceId: data.referenceId, refundReferenceId: world.newId(), reason: 'returned' }
    expect((await post(`${SK}/refund`, refund)).status).toBe(200)
    expect(codeOf(await voidOf(spent))).toBe('SALE_USED')
    const held = await sold()
    await post(`${PK}/voucher-holds`, { voucherCode: held.voucher.code, amount: 1 })
    expect(codeOf(await voidOf(held))).toBe('SALE_USED')
    const reloaded = await sold()
    await reload(reloaded.voucher.code)
    expect(codeOf(await voidOf(reloaded))).toBe('SALE_USED')
  })

  test('takes a reload off a voucher that stays open', async () => {
    const made = await sold()
    await redeem(made.voucher.code, 10)
    const { data } = await reload(made.voucher.code)
    expect((await voidOf({ sale: data.sale, voucher: made.voucher })).status).toBe(200)
    expect((await verify(made.voucher.code)).balance).toBe(40)
  })

  test('needs the card from a cashier, and not from the secret key', async () => {
    const made = await sold()
    const path = `${SK}/voucher-sales/${made.sale.id}/void`
    expect((await cashier.post(path, { reason: 'mistake' })).text).toContain('SALE_CARD_NEEDED')
    const other = (await sold()).voucher.code
    expect((await cashier.post(path, { voucherCode: other })).text).toContain('SALE_CARD_NEEDED')
    expect((await voidOf(made, { voucherCode: undefined })).status).toBe(200)
  })

  test('of a sale and a redemption at the same time one wins', async () => {
    for (let i = 0; i < 10; i++) {
      const made = await sold()
      const [undone, redeemed] = await Promise.all([voidOf(made), redeem(made.voucher.code, 50)])
      expect([undone.status, redeemed.status].filter((status) => status === 200)).toHaveLength(1)
    }
  })
})

describe('cash back', () => {
  test('is the price × what is left ÷ the value, rounded down, and closes the voucher', async () => {
    const { voucher } = await sold({ amount: 60, price: 50 })
    await redeem(voucher.code, 20.01)
    // 50.00 × 39.99 ÷ 60.00 = 33.325
    expect((await offer(voucher.code)).data).toMatchObject({ value: 39.99, price: 33.32 })
    const { data } = await payBack(voucher.code)
    expect(data.sale).toMatchObject({ kind: 'cash_back', value: 39.99, price: 33.32 })
    expect(codeOf(await redeem(voucher.code, 1))).toBe('VOUCHER_CANCELLED')
  })

  test('counts reloads, leaves out what was undone, and follows a lost voucher to the one that replaced it', async () => {
    const { voucher } = await sold({ amount: 40, price: 30 })
    await reload(voucher.code, { amount: 20 })
    const undone = (await reload(voucher.code, { amount: 100 })).data
    await voidOf({ sale: undone.sale, voucher })
    const { data: fresh } = await post<Voucher>(`${SK}/vouchers/${voucher.id}/replace`, {})
    // (30 + 20) ÷ (40 + 20) of 60
    expect((await offer(fresh.code)).data).toMatchObject({ value: 60, price: 50 })
  })

  test('is nothing for a voucher that was given away', async () => {
    const { voucher } = await sold({ tender: 'free', reason: 'apology' })
    expect(codeOf(await payBack(voucher.code))).toBe('VOUCHER_NOT_SOLD')
    expect((await verify(voucher.code)).balance).toBe(50)
  })

  test('needs the PIN of a locked voucher and is not paid while a part is held', async () => {
    const { voucher } = await sold({ lockPin: '4821' })
    expect(codeOf(await payBack(voucher.code))).toBe('VOUCHER_PIN_MISSING')
    expect(codeOf(await offer(voucher.code, { lockPin: '0000' }))).toBe('VOUCHER_PIN_WRONG')
    await post(`${PK}/voucher-holds`, { voucherCode: voucher.code, amount: 1, lockPin: '4821' })
    expect(codeOf(await payBack(voucher.code, { lockPin: '4821' }))).toBe('VOUCHER_HELD')
  })

  test('is paid once, also beside redemptions', async () => {
    for (let i = 0; i < 10; i++) {
      const { voucher } = await sold()
      const [one, two, spent] = await Promise.all([
        payBack(voucher.code),
        payBack(voucher.code),
        redeem(voucher.code, 50),
      ])
      expect([one.status, two.status, spent.status].filter((status) => status === 200)).toHaveLength(1)
    }
  })
})

describe('limits', () => {
  const setLimits = async (limits: object): Promise<void> => {
    const boss = await addMember(world, world.ours, 'owner')
    expect((await boss.post('/merchant/sale-limits', { ...limits, pin })).status).toBe(200)
  }
  const sellBy = (seller: VisitingUser, amount: number, terms: object = {}) =>
    seller.post(`${SK}/voucher-sales`, { amount, currency: 'USD', tender: 'cash', ...terms })

  test('bound what each cashier sells in a rolling day, whoever else sells, and an undone sale counts no more', async () => {
    await setLimits({ cashier: 100 })
    const [ivy, ben] = [await addMember(world, world.ours, 'cashier'), await addMember(world, world.ours, 'cashier')]
    const first = (await sellBy(ivy, 80)).as<{ data: Sold }>().data
    expect((await sellBy(ivy, 21)).text).toContain('SALE_ABOVE_DAILY')
    expect((await sellBy(ben, 100)).status).toBe(200)
    await voidOf(first)
    expect((await sellBy(ivy, 100)).status).toBe(200)
    aheadMs += 26 * hourMs
    expect((await sellBy(ivy, 100)).status).toBe(200)
    await setLimits({ cashier: 'none' })
  })

  test('of 10 concurrent sales let through what fits', async () => {
    await setLimits({ cashier: 50 })
    const ivy = await addMember(world, world.ours, 'cashier')
    const replies = await Promise.all(Array.from({ length: 10 }, () => sellBy(ivy, 10)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    await setLimits({ cashier: 'none' })
  })

  test('of the outflow rule hold for what is given away, and not for what is paid', async () => {
    const boss = await addMember(world, world.ours, 'owner')
    const rules = { daily: 'none', approvalAbove: 100, newRecipientHours: 0, pin }
    expect((await boss.post('/merchant/outflow-limits', rules)).status).toBe(200)
    expect((await sell({ amount: 5_000 })).status).toBe(200)
    expect((await sell({ amount: 500, price: 450 })).status).toBe(200)
    const free = { tender: 'free', reason: 'apology' }
    expect(codeOf(await sell({ amount: 51, ...free }))).toBe('OUTFLOW_ABOVE_THRESHOLD')
    const { voucher } = await sold()
    expect(codeOf(await reload(voucher.code, { amount: 51, ...free }))).toBe('OUTFLOW_ABOVE_THRESHOLD')
    await boss.post('/merchant/outflow-limits', { ...rules, approvalAbove: 'none' })
  })

  test('are set by the owner only', async () => {
    expect((await cashier.post('/merchant/sale-limits', { cashier: 'none', pin })).status).toBe(403)
    const key = await world.call('POST', '/merchant/sale-limits', { body: { cashier: 'none' } })
    expect(key.status).not.toBe(200)
    expect((await cashier.get('/merchant/sale-limits')).status).toBe(403)
  })
})

describe('a gift', () => {
  const gift = { email: 'eve@example.com', sender: 'Grandma Jo', message: 'For your new books.' }
  const settle = async (): Promise<string[]> => {
    await world.work()
    return mailbox.received.map(({ text = '' }) => text)
  }

  test('is sent at once with its sender, its message and its code', async () => {
    const { voucher } = await sold({ gift })
    const [mail = ''] = await settle()
    for (const said of ['Grandma Jo', 'For your new books.', voucher.code]) expect(mail).toContain(said)
  })

  test('is sent on its day, once, and its recipient does not see it before', async () => {
    const eve = await addPerson(world, 'test')
    const sendAt = new Date(clock().getTime() + 48 * hourMs).toISOString()
    const { voucher } = await sold({ gift: { ...gift, email: eve.person.email, sendAt } })
    const listed = async (): Promise<string> => (await eve.get('/wallet/vouchers')).text
    expect(await settle()).toEqual([])
    expect(await listed()).not.toContain(voucher.id)
    aheadMs += 49 * hourMs
    await Promise.all([world.work(), world.work()])
    expect(await settle()).toHaveLength(1)
    expect(await listed()).toContain(voucher.id)
  })

  test('is not sent after its sale was undone', async () => {
    const sendAt = new Date(clock().getTime() + 48 * hourMs).toISOString()
    await voidOf(await sold({ gift: { ...gift, sendAt } }))
    aheadMs += 49 * hourMs
    expect(await settle()).toEqual([])
  })

  test('is sent again to another address, ten times at most', async () => {
    const { voucher } = await sold({ gift })
    const again = (body: object = {}) => post(`${SK}/vouchers/${voucher.id}/send`, body)
    expect((await again({ email: 'eve@work.example' })).status).toBe(200)
    await settle()
    expect(mailbox.received.flatMap(({ recipients }) => recipients)).toEqual(['eve@example.com', 'eve@work.example'])
    for (let sends = 2; sends < 10; sends++) await again()
    expect(codeOf(await again())).toBe('GIFT_SENT_OFTEN')
    expect(codeOf(await post(`${SK}/vouchers/${(await sold()).voucher.id}/send`, {}))).toBe('GIFT_NOT_FOUND')
  })

  test.each(['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'tomorrow'])('is not sent at %s', async (sendAt) => {
    expect(codeOf(await sell({ gift: { ...gift, sendAt } }))).toBe('GIFT_DATE_INVALID')
  })
})
