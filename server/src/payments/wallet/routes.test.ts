import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, createVisitor, password, pin, type Visitor } from '../../../local/test/visitor.ts'
import { systemClock } from '../../base/clock.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { saveDailyLimit } from './store.ts'

let world: ApiWorld
let mailbox: Mailbox
let ownerUrl: string
beforeAll(async () => {
  mailbox = await openMailbox()
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip <pay@scrip.example>' }
  world = await createApiWorld(database.url, undefined, mail)
  await world.charge()
  await setRate('1.0835')
})
afterAll(async () => {
  await world.close()
  await mailbox.close()
})

const setRate = (rate: string) => setManualRate(world.pool, 'EUR', 'USD', rate, systemClock)
type Balances = { data: { balances: { currency: string; available: string }[] } }
const balancesOf = async (visitor: Pick<Visitor, 'get'>): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await visitor.get('/wallet')).as<Balances>().data.balances.map(({ currency, available }) => [currency, available]),
  )
type Activity = {
  data: { moves: { kind: string; amount: string; currency: string; withName: string; note: string }[] }
}
const activityOf = async (visitor: Pick<Visitor, 'get'>) =>
  (await visitor.get('/wallet/activity')).as<Activity>().data.moves

test("ten retries send money once, and both users see the other's name", async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test', { otherNames: 'Ben' })]
  await world.fund(50, { user: ada.person.email })
  const input = { to: ben.person.username, amount: '12.50', currency: 'USD', note: 'lunch', pin }
  const once = { 'idempotency-key': 'lunch-1' }
  const replies = await Promise.all(Array.from({ length: 10 }, () => ada.post('/wallet/send', input, once)))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(await balancesOf(ada)).toEqual({ USD: '37.50' })
  expect(await balancesOf(ben)).toEqual({ USD: '12.50' })
  expect(await activityOf(ben)).toMatchObject([
    { kind: 'received', amount: '12.50', withName: 'Ada Obi', note: 'lunch' },
  ])
  expect((await activityOf(ada))[0]).toMatchObject({ kind: 'sent', amount: '-12.50', withName: 'Ben Obi' })
  const other = await ada.post('/wallet/send', { ...input, amount: 1 }, once)
  expect(other.json().error?.code).toBe('REFERENCE_TAKEN')
})

test('402, 403, 404, 422: a refused transfer moves nothing', async () => {
  const ada = await addPerson(world, 'test')
  const ben = await addPerson(world, 'test')
  await world.fund(5, { user: ada.person.email })
  const refusal = async (more: object) => {
    const reply = await ada.post('/wallet/send', { to: ben.person.username, amount: 1, currency: 'USD', pin, ...more })
    return [reply.status, reply.json().error?.code]
  }
  expect(await refusal({ amount: 5.01 })).toEqual([402, 'WALLET_TOO_LOW'])
  expect(await refusal({ currency: 'EUR' })).toEqual([402, 'WALLET_TOO_LOW'])
  expect(await refusal({ pin: undefined })).toEqual([403, 'CONFIRMATION_MISSING'])
  expect(await refusal({ pin: '000000' })).toEqual([403, 'PIN_WRONG'])
  expect(await refusal({ to: 'nobody_at_all' })).toEqual([404, 'USER_NOT_FOUND'])
  expect(await refusal({ to: ada.person.email })).toEqual([422, 'WALLET_SELF'])
  await ben.post('/me', { isDiscoverable: false })
  expect(await refusal({})).toEqual([404, 'USER_NOT_FOUND'])
  expect(await balancesOf(ada)).toEqual({ USD: '5.00' })
})

test('of 100 wrong PINs at once only five are compared, and then the right one is refused too', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(5, { user: ada.person.email })
  const send = (word: string) =>
    ada.post('/wallet/send', { to: 'nobody_at_all', amount: 1, currency: 'USD', pin: word })
  const replies = await Promise.all(Array.from({ length: 100 }, () => send('999999')))
  const codes = replies.map((reply) => reply.json().error?.code)
  expect(codes.filter((code) => code === 'PIN_WRONG')).toHaveLength(5)
  expect(codes.filter((code) => code === 'PIN_LOCKED')).toHaveLength(95)
  expect((await send(pin)).json().error?.code).toBe('PIN_LOCKED')
  expect((await ada.post('/me/pin', { pin, password })).status).toBe(200)
  expect((await send(pin)).json().error?.code).toBe('USER_NOT_FOUND')
})

test('an exchange uses the quoted rate exactly, once, and only for the user of the quote', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(100, { user: ada.person.email, currency: 'EUR' })
  const quoted = await ada.post('/wallet/quotes', { from: 'EUR', to: 'USD', amount: '10.01' })
  const { quoteId, gets } = quoted.json().data as { quoteId: string; gets: string }
  // 10.01 × 1.0835 × 0.995 is 10.7916….
  expect(gets).toBe('10.79')
  restoreAfterTest(() => setRate('1.0835'))
  await setRate('2')
  expect((await ben.post('/wallet/exchange', { quoteId, pin })).json().error?.code).toBe('WALLET_QUOTE_STALE')
  expect((await ada.post('/wallet/exchange', { quoteId, pin })).status).toBe(200)
  const again = await ada.post('/wallet/exchange', { quoteId, pin })
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true'])
  expect(await balancesOf(ada)).toEqual({ EUR: '89.99', USD: '10.79' })
  expect(await activityOf(ada)).toMatchObject([
    { kind: 'exchanged', amount: '-10.01', currency: 'EUR' },
    { kind: 'exchanged', amount: '10.79', currency: 'USD' },
    { kind: 'funded', amount: '100.00' },
  ])
})

test('an exchange can be quoted for the amount that the user gets, and pays what rounds up', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(100, { user: ada.person.email, currency: 'EUR' })
  type Quote = { quoteId: string; pays: string; gets: string }
  const quote = async (amount: string, side: string) =>
    (await ada.post('/wallet/quotes', { from: 'EUR', to: 'USD', amount, side })).json()
  const { quoteId, pays, gets } = (await quote('10.00', 'gets')).data as Quote
  // 10 ÷ (1.0835 × 0.995) is 9.2757….
  expect({ pays, gets }).toEqual({ pays: '9.28', gets: '10.00' })
  // The other way round it is never more.
  expect((await quote('9.27', 'pays')).data).toMatchObject({ gets: '9.99' })
  expect((await quote('200', 'gets')).error?.code).toBe('WALLET_TOO_LOW')
  expect((await quote('1.005', 'gets')).error?.code).toBe('AMOUNT_TOO_PRECISE')
  expect((await quote('1', 'both')).error?.code).toBe('FIELD_INVALID')
  expect((await ada.post('/wallet/exchange', { quoteId, pin })).json().error?.code).toBe('WALLET_QUOTE_STALE')
  const last = (await quote('10.00', 'gets')).data as Quote
  expect((await ada.post('/wallet/exchange', { quoteId: last.quoteId, pin })).status).toBe(200)
  expect(await balancesOf(ada)).toEqual({ EUR: '90.72', USD: '10.00' })
})

test('a voucher is redeemed into the wallet without a fee, and its issuer sees the user', async () => {
  const ada = await addPerson(world, 'test')
  const code = await world.voucher(20, { lockPin: '4821' })
  const refused = await ada.post('/wallet/vouchers/redeem', { code, amount: 5 })
  expect(refused.json().error?.code).toBe('VOUCHER_PIN_MISSING')
  const part = await ada.post('/wallet/vouchers/redeem', { code, amount: '5.00', lockPin: '4821' })
  expect(part.json().data).toEqual({ amount: '5.00', currency: 'USD' })
  expect((await ada.post('/wallet/vouchers/redeem', { code, lockPin: '4821' })).status).toBe(200)
  expect(await balancesOf(ada)).toEqual({ USD: '20.00' })
  const { redeemedVouchers } = (
    await world.post<{ redeemedVouchers: object[] }>('/merchant-integrations/verify-voucher', { voucherCode: code })
  ).data
  expect(redeemedVouchers[0]).toMatchObject({ isMerchant: false, user: { email: ada.person.email, role: 'USER' } })
  const shopper = await world.call('POST', '/merchant-integrations/verify-voucher', {
    body: { voucherCode: code },
    keys: 'public',
  })
  expect(shopper.text).not.toContain(ada.person.email)
})

test('a voucher that is limited to some shops cannot be redeemed into a wallet', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10)
  const body = { amount: 10, currency: 'USD', onlyAt: ['OURS'] }
  const { code } = (await world.post<{ code: string }>('/merchant-integrations-server/vouchers', body)).data
  expect((await ada.post('/wallet/vouchers/redeem', { code })).status).toBe(404)
})

test('422: a store voucher is not put into a wallet, and keeps its value', async () => {
  const ada = await addPerson(world, 'test')
  const body = { amount: 5, currency: 'USD', voucherType: 'store' }
  const { code } = (await world.post<{ code: string }>('/sandbox/vouchers', body)).data
  const refused = await ada.post('/wallet/vouchers/redeem', { code })
  expect([refused.status, refused.json().error?.code]).toEqual([422, 'STORE_VOUCHER_NOT_FOR_WALLETS'])
  expect(await balancesOf(ada)).toEqual({})
  expect(await world.left(code)).toBe(5)
})

test('a gift to an address without an account can be redeemed by the account created for it', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(30, { user: ada.person.email })
  const gift = { amount: 25, currency: 'USD', for: 'stranger@example.com', pin }
  const bought = await ada.post('/wallet/vouchers', gift, { 'idempotency-key': 'gift' })
  expect([bought.status, bought.json().data.code]).toEqual([200, ''])
  expect((await ada.post('/wallet/vouchers', gift, { 'idempotency-key': 'gift' })).json().data).toEqual(
    bought.json().data,
  )
  expect(await balancesOf(ada)).toEqual({ USD: '5.00' })
  expect((await ada.get('/wallet/vouchers')).json().data.vouchers).toMatchObject([{ isGiven: true, code: '' }])
  await world.work()
  const mail = mailbox.received.find(({ recipients }) => recipients.includes('stranger@example.com'))
  expect(mail?.subject).toBe('Ada Obi sent you a voucher worth $25.00')
  const code = /\/v#([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''

  const stranger = createVisitor(world, 'test')
  const names = { username: 'stranger', surname: 'New', otherNames: 'Nina' }
  await stranger.post('/auth/test/sign-up', { email: 'stranger@example.com', ...names })
  await world.work()
  const welcome = mailbox.received.findLast(({ recipients }) => recipients.includes('stranger@example.com'))
  const token = /\/link#([\w-]{43})/.exec(welcome?.text ?? '')?.[1]
  await stranger.post('/auth/links/use', { token, password })
  await stranger.signIn('stranger@example.com')
  expect((await stranger.post('/wallet/vouchers/redeem', { code })).status).toBe(200)
  expect(await balancesOf(stranger)).toEqual({ USD: '25.00' })
})

test('the same key can be used for one purchase and one redemption', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(30, { user: ada.person.email })
  const key = { 'idempotency-key': 'both' }
  const bought = await ada.post('/wallet/vouchers', { amount: 10, currency: 'USD', pin }, key)
  const { code } = bought.json().data
  expect((await ada.post('/wallet/vouchers/redeem', { code }, key)).status).toBe(200)
  expect(await balancesOf(ada)).toEqual({ USD: '30.00' })
})

test('a gift to an existing user is also in that user’s wallet, and the buyer’s response is the same', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(30, { user: ada.person.email })
  const bought = await ada.post('/wallet/vouchers', { amount: 10, currency: 'USD', for: ben.person.email, pin })
  expect(Object.keys(bought.json().data)).toEqual(['id', 'code'])
  const mine = (await ben.get('/wallet/vouchers')).json().data.vouchers as { code: string; balance: string }[]
  // Issued by the platform merchant, because it was bought in a wallet.
  expect(mine).toMatchObject([{ balance: '10.00', merchant: 'Scrip' }])
  expect((await ben.post('/wallet/vouchers/redeem', { code: mine[0]?.code })).status).toBe(200)
})

test('422: concurrent transfers cannot exceed the daily limit of the user’s level', async () => {
  await saveDailyLimit(world.pool, { mode: 'test', currency: 'NGN', level: 1, daily: 1_000_00n })
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(5_000, { user: ada.person.email, currency: 'NGN' })
  const send = () => ada.post('/wallet/send', { to: ben.person.username, amount: 150, currency: 'NGN', pin })
  const buy = () => ada.post('/wallet/vouchers', { amount: 150, currency: 'NGN', pin })
  const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? send() : buy())))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(6)
  expect(replies.find(({ status }) => status !== 200)?.json().error?.code).toBe('WALLET_LIMIT')
  expect((await balancesOf(ada)).NGN).toBe('4100.00')
  await world.pool.query('update users set level = 2 where id = $1', [ada.person.id])
  expect((await send()).status).toBe(200)
})

test('400: a gift needs an email address or a username', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(30, { user: ada.person.email })
  for (const to of ['@@@', 'not an address@', 'x@y\r\nBcc: z@z.example', '+2348012345678'])
    expect([to, (await ada.post('/wallet/vouchers', { amount: 1, currency: 'USD', for: to, pin })).status]).toEqual([
      to,
      400,
    ])
  expect(await balancesOf(ada)).toEqual({ USD: '30.00' })
})

test('a purchase that waits past midnight counts for the day in which it was made', async () => {
  const midnight = Date.UTC(2030, 0, 2)
  let now = midnight - 50
  const late = await createApiWorld((await createTestDatabase()).url, () => new Date(now))
  try {
    await saveDailyLimit(late.pool, { mode: 'test', currency: 'USD', level: 1, daily: 10_00n })
    const ada = await addPerson(late, 'test')
    await late.fund(100, { user: ada.person.email })
    const buys = Array.from({ length: 8 }, () => ada.post('/wallet/vouchers', { amount: 10, currency: 'USD', pin }))
    setTimeout(() => (now = midnight + 1_000), 5)
    const replies = await Promise.all(buys)
    // At most one per day.
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2)
  } finally {
    await late.close()
  }
})

test('the limit of a higher level applies to lower levels without a limit of their own', async () => {
  await saveDailyLimit(world.pool, { mode: 'test', currency: 'GHS', level: 2, daily: 100_00n })
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(500, { user: ada.person.email, currency: 'GHS' })
  const reply = await ada.post('/wallet/send', { to: ben.person.username, amount: 101, currency: 'GHS', pin })
  expect(reply.json().error?.code).toBe('WALLET_LIMIT')
})

test('only the owner can read a wallet', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(3, { user: ada.person.email })
  const stranger = await addPerson(world, 'test')
  expect(await activityOf(stranger)).toEqual([])
  expect(await balancesOf(stranger)).toEqual({})
})

test('the ledger balances', async () => {
  const { createPool } = await import('../../base/db.ts')
  const owner = createPool(ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
})
