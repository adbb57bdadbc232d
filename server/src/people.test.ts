// Attacks on accounts of users and staff, each written as an attacker would perform it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { oneTimeCode } from '../local/parts/one-time-code.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addMember, addPerson, createVisitor, enrolOneTimeCode, password, pin } from '../local/test/visitor.ts'
import { systemClock } from './base/clock.ts'
import { inTransaction } from './base/db.ts'
import { list, select, sql } from './base/sql.ts'
import { createMerchant } from './identity/merchant/create-merchant.ts'
import { createKey } from './identity/merchant/keys.ts'
import { joinMerchant } from './identity/merchant/members.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const codeOf = (reply: { json: () => { error?: { code: string } } }): string => reply.json().error?.code ?? 'none'

describe('PINs', () => {
  test('wrong PINs at the till lock the till but not the owner’s confirmations', async () => {
    const [owner, cashier] = [
      await addMember(world, world.ours, 'owner'),
      await addMember(world, world.ours, 'cashier'),
    ]
    const typed: string[] = []
    for (let i = 0; i < 6; i++) {
      const ask = { memberId: owner.person.id, pin: String(700_001 + i) }
      typed.push(codeOf(await cashier.post('/merchant/till/switch', ask)))
    }
    expect(typed).toEqual([...Array.from({ length: 5 }, () => 'PIN_WRONG'), 'PIN_LOCKED'])
    const limits = { currency: 'USD', daily: 'none', pin }
    expect((await owner.post('/merchant/outflow-limits', limits)).status).toBe(200)
    // The owner's correct PIN does not unlock the till for a guesser.
    expect(codeOf(await cashier.post('/merchant/till/switch', { memberId: owner.person.id, pin }))).toBe('PIN_LOCKED')
  })

  test('wrong PINs at the till and in confirmations are counted separately', async () => {
    const owner = await addMember(world, world.ours, 'owner')
    const counted = () =>
      select(world.pool)`
        select ${list({ own: sql.smallint`wrong_in_row`, till: sql.smallint`till_wrong_in_row` })} from user_pins
          where user_id = ${owner.person.id}`
    await owner.post('/merchant/outflow-limits', { currency: 'USD', daily: 'none', pin: '700001' })
    expect(await counted()).toEqual([{ own: 1, till: 0 }])
    await owner.post('/merchant/till/switch', { memberId: owner.person.id, pin: '700001' })
    expect(await counted()).toEqual([{ own: 1, till: 1 }])
  })

  test('a PIN that is easy to guess is refused with 422', async () => {
    const user = await addPerson(world, 'test')
    for (const common of ['123456', '111111', '121212', '241290']) {
      const reply = await user.post('/me/pin', { pin: common, password })
      expect([reply.status, codeOf(reply)]).toEqual([422, 'PIN_TOO_COMMON'])
    }
    expect((await user.post('/me/pin', { pin: '482915', password })).status).toBe(200)
  })
})

describe('sign-in', () => {
  test('a decoy cookie does not reset the limit on password attempts', async () => {
    const developer = await addMember(world, world.ours, 'developer')
    const own = [...developer.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const statuses: number[] = []
    for (let i = 0; i < 14; i++) {
      const guess = { currentPassword: `wrong guess ${i}`, newPassword: 'another password 1' }
      const cookie = `x-scrip-staff.session_token=${i}; ${own}`
      statuses.push((await developer.post('/auth/staff/change-password', guess, { cookie })).status)
    }
    expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(10)
    expect(statuses.at(-1)).toBe(429)
  })

  const signIn = async (from: string, email: string, word: string, cookie = '') =>
    world.app.inject({
      method: 'POST',
      url: '/auth/staff/sign-in/email',
      remoteAddress: from,
      headers: { origin: 'https://pay.example', 'content-type': 'application/json', cookie },
      payload: JSON.stringify({ email, password: word }),
    })
  const deviceOf = (reply: Awaited<ReturnType<typeof signIn>>): string => {
    const [line = ''] = [reply.headers['set-cookie'] ?? []].flat().filter((each) => each.includes('.device='))
    expect(line).toMatch(/HttpOnly; .*SameSite=Lax/i)
    return line.split(';')[0] ?? ''
  }

  test('100 wrong passwords from ten addresses lock out strangers but not the known device of the owner', async () => {
    const { person } = await addPerson(world, 'staff')
    const device = deviceOf(await signIn('198.51.100.1', person.email, password))
    for (let place = 10; place < 20; place++)
      for (let i = 0; i < 10; i++) await signIn(`198.51.100.${place}`, person.email, `wrong ${i}`)
    expect((await signIn('198.51.100.50', person.email, password)).statusCode).toBe(429)
    expect((await signIn('198.51.100.50', person.email, password, device)).statusCode).toBe(200)
  })

  test('a known device has ten attempts, and is known for its own account only', async () => {
    const [one, two] = [await addPerson(world, 'staff'), await addPerson(world, 'staff')]
    const device = deviceOf(await signIn('198.51.100.2', one.person.email, password))
    const statuses: number[] = []
    for (let i = 0; i < 12; i++)
      statuses.push((await signIn(`203.0.113.${i}`, one.person.email, `wrong ${i}`, device)).statusCode)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
    // A stolen device cookie does not affect the owner elsewhere.
    expect((await signIn('198.51.100.3', one.person.email, password)).statusCode).toBe(200)
    for (let place = 10; place < 20; place++)
      for (let i = 0; i < 10; i++) await signIn(`192.0.2.${place}`, two.person.email, `wrong ${i}`)
    expect((await signIn('192.0.2.50', two.person.email, password, device)).statusCode).toBe(429)
    const forged = device.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await signIn('192.0.2.51', two.person.email, password, forged)).statusCode).toBe(429)
  })

  test('signing in again does not reset the attempts of a device, and an account has 30 attempts over all devices', async () => {
    const { person } = await addPerson(world, 'staff')
    const again = await addPerson(world, 'staff')
    const first = deviceOf(await signIn('198.51.100.60', again.person.email, password))
    for (let i = 0; i < 8; i++) await signIn('198.51.100.60', again.person.email, `wrong ${i}`, first)
    const same = deviceOf(await signIn('198.51.100.60', again.person.email, password, first))
    expect(same).toBe(first)
    const after = [1, 2].map((i) => signIn('198.51.100.60', again.person.email, `wrong again ${i}`, same))
    expect((await Promise.all(after)).map(({ statusCode }) => statusCode).toSorted()).toEqual([401, 429])
    const devices: string[] = []
    for (let i = 0; i < 5; i++) devices.push(deviceOf(await signIn(`198.51.101.${i}`, person.email, password)))
    let compared = 0
    for (const device of devices)
      for (let i = 0; i < 9; i++)
        if ((await signIn('198.51.101.9', person.email, `wrong ${i}`, device)).statusCode === 401) compared++
    expect(compared).toBe(30)
  })

  test('other cookies before the session cookie do not change the session', async () => {
    const visitor = await addPerson(world, 'staff')
    const own = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const listed = await visitor.get('/auth/staff/list-sessions', {
      cookie: `x-scrip-staff.session_token=decoy; ${own}`,
    })
    expect(listed.as<{ data: { isThis: boolean }[] }>().data.map(({ isThis }) => isThis)).toEqual([true])
    expect((await createVisitor(world, 'staff').get('/auth/staff/list-sessions')).status).toBe(401)
  })
})

const server = '/merchant-integrations-server'
/** The data of any response in these tests. */
type Data = {
  id: string
  code: string
  customer: object[]
  redeemedVouchers: { user: object }[]
  vouchers: { id: string }[]
  acts: { operation: string; object: string }[]
  totpURI: string
  backupCodes: string[]
}
const data = (reply: { text: string }): Data => (JSON.parse(reply.text) as { data: Data }).data
const terms = (reference: string, amount: number) => ({ amount, currency: 'USD', referenceId: reference })

describe('contacts', () => {
  test('email addresses and phone numbers are masked for cashiers and developers, not for accountants, owners and the secret key', async () => {
    const ada = await addPerson(world, 'test', { email: 'ada@whole.example', username: 'ada', phone: '+2348030000001' })
    await world.call('POST', `${server}/add-new-customer`, { body: { email: 'kim@whole.example', name: 'Kim' } })
    const whole = { email: 'ada@whole.example', phone: '+2348030000001' }
    const masked = { email: 'a***@w***.example', phone: '+234********01' }
    for (const [role, seen, customer] of [
      ['cashier', masked, 'k***@w***.example'],
      ['developer', masked, 'k***@w***.example'],
      ['accountant', whole, 'kim@whole.example'],
      ['owner', whole, 'kim@whole.example'],
    ] as const) {
      const member = await addMember(world, world.ours, role)
      const found = await member.get('/merchant-integrations/confirm-user/ada')
      expect([role, found.json().data]).toMatchObject([role, seen])
      const listed = await member.get('/merchant-integrations/fetch-customers')
      expect([role, data(listed).customer]).toMatchObject([role, [{ email: customer }]])
    }
    // A search does not reveal masked values.
    const developer = await addMember(world, world.ours, 'developer')
    const find = async (search: string) =>
      data(await developer.get(`/merchant-integrations/fetch-customers?search=${search}`)).customer.length
    expect(await Promise.all(['whole.ex', 'm@w', 'kim@whole.example'].map(find))).toEqual([0, 0, 1])
    const byKey = await world.call('GET', '/merchant-integrations/confirm-user/ada')
    expect(data(byKey)).toMatchObject(whole)
    // The identifier that the cashier typed is shown.
    const cashier = await addMember(world, world.ours, 'cashier')
    const typed = await cashier.get('/merchant-integrations/confirm-user/ada@whole.example')
    expect(typed.json().data).toMatchObject({ ...masked, email: whole.email })
    expect(ada.person.email).toBe(whole.email)
  })

  test('a cashier who verifies a voucher sees the redeeming user with a masked address', async () => {
    const ada = await addPerson(world, 'test', { email: 'bea@whole.example', phone: '+2348030000002' })
    const made = await world.call('POST', '/sandbox/vouchers', { body: { amount: 5, currency: 'USD' } })
    const { code } = data(made)
    const redemption = await ada.post('/wallet/vouchers/redeem', { code })
    expect(redemption.status).toBe(200)
    const cashier = await addMember(world, world.ours, 'cashier')
    const seen = await cashier.post('/merchant-integrations/verify-voucher', { voucherCode: code })
    const [redeemed] = data(seen).redeemedVouchers
    expect(redeemed?.user).toMatchObject({ email: 'b***@w***.example', phone: '+234********02' })
  })
})

describe('codes', () => {
  test('a cashier can try at most 100 unknown codes', async () => {
    const [cashier, other] = [
      await addMember(world, world.ours, 'cashier'),
      await addMember(world, world.ours, 'cashier'),
    ]
    const guess = (member: typeof cashier, n: number) =>
      member.post('/merchant-integrations/verify-voucher', { voucherCode: String(n).padStart(6, '0') })
    const statuses: number[] = []
    for (let n = 0; n < 105; n++) statuses.push((await guess(cashier, n)).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect(codeOf(await guess(cashier, 200))).toBe('VOUCHER_GUESSING')
    // Other cashiers are not affected.
    expect((await guess(other, 200)).status).not.toBe(429)
    const redeem = { voucherCode: '000201', amount: 1, referenceId: 'guessed' }
    expect((await cashier.post('/merchant-integrations/redeem-voucher', redeem)).status).toBe(429)
  })

  test('lists contain no codes, and the audit log names everyone who viewed a code', async () => {
    await world.fund(100)
    const [owner, accountant] = [
      await addMember(world, world.ours, 'owner'),
      await addMember(world, world.ours, 'accountant'),
    ]
    const issued = await world.call('POST', `${server}/vouchers`, { body: terms('code-read', 5) })
    const { id, code } = data(issued)
    const batched = await world.call('POST', `${server}/voucher-batches`, {
      body: { size: 2, amount: 1, currency: 'USD', referenceId: 'code-batch' },
    })
    const batch = data(batched)
    await world.work()
    const list = await accountant.get(`${server}/vouchers?limit=100`)
    expect(list.text).not.toContain(code)
    const [listed] = data(list).vouchers.filter((one) => one.id === id)
    expect(listed).toMatchObject({ code: '', codeTail: code.replaceAll('-', '').slice(-4) })
    for (const [path, method] of [
      [`${server}/voucher-batches/${batch.id}/vouchers.csv`, 'GET'],
      [`${server}/voucher-batches/${batch.id}/vouchers.pdf`, 'GET'],
      [`${server}/vouchers/${id}/code`, 'POST'],
      [`/merchant/issued/${id}/code`, 'POST'],
    ] as const) {
      // A stolen session without the PIN cannot view codes.
      const without = await accountant.ask(method, path, method === 'POST' ? {} : undefined)
      expect([path, without.status, codeOf(without)]).toEqual([path, 403, 'CONFIRMATION_MISSING'])
      const reply = await accountant.ask(method, path, method === 'POST' ? { pin } : undefined, { 'scrip-pin': pin })
      expect([path, reply.status]).toEqual([path, 200])
      const object = path.includes('batches') ? batch.id : id
      const operation = `${method} ${path.replace(object, ':id')}`
      const read = { email: accountant.person.email, operation, object, outcome: 'done' }
      // The outcome is noted after the response.
      await expect.poll(async () => data(await owner.get('/merchant/acts?limit=1')).acts[0]).toMatchObject(read)
    }
    const byKey = await world.call('POST', `${server}/vouchers/${id}/code`, { body: {} })
    expect(data(byKey)).toEqual({ code })
    const [act] = data(await owner.get('/merchant/acts?limit=1')).acts
    expect(act).toMatchObject({ by: 'key', who: 'server', object: id, operation: `POST ${server}/vouchers/:id/code` })
    const theirs = await world.call('POST', `${server}/vouchers/${id}/code`, { body: {}, as: world.theirs })
    expect(theirs.status).toBe(404)
  })
})

describe('the second factor', () => {
  const enable = async (member: { post: (path: string, body: object) => Promise<{ text: string }> }) => {
    const enabled = await member.post('/auth/staff/two-factor/enable', { password })
    const { totpURI, backupCodes } = data(enabled)
    const secret = new URL(totpURI).searchParams.get('secret') ?? ''
    return { show: () => oneTimeCode(secret), backupCodes }
  }

  test('with a password only, an operator and the owner of a live shop can only set up a second factor', async () => {
    const operator = await addPerson(world, 'staff', { isOperator: true })
    const owner = await addPerson(world, 'staff')
    await inTransaction(world.pool, (tx) =>
      joinMerchant(tx, owner.person.id, world.ours.merchantId, 'owner', systemClock()),
    )
    const ofShop = { 'scrip-merchant': 'OURS', 'scrip-mode': 'test' }
    const standing = { realm: 'test', identifier: 'ada', level: 2, pin }
    expect((await operator.get('/me')).json().data.mustSetUpSecondFactor).toBe(true)
    expect(codeOf(await operator.post('/operator/people', standing))).toBe('SECOND_FACTOR_REQUIRED')
    expect(codeOf(await operator.get('/operator/acts'))).toBe('SECOND_FACTOR_REQUIRED')
    expect((await owner.get('/me')).json().data.mustSetUpSecondFactor).toBe(true)
    expect(codeOf(await owner.get('/merchant/members', ofShop))).toBe('SECOND_FACTOR_REQUIRED')
    for (const member of [operator, owner]) {
      const { show } = await enable(member)
      expect((await member.post('/auth/staff/two-factor/verify-totp', { code: show() })).status).toBe(200)
      expect((await member.get('/me')).json().data.mustSetUpSecondFactor).toBe(false)
    }
    expect((await operator.get('/operator/acts')).status).toBe(200)
    expect((await owner.get('/merchant/members', ofShop)).status).toBe(200)
  })

  test('is not required from the owner of a shop until the shop is live', async () => {
    const owner = await addPerson(world, 'staff')
    const names = { companyName: 'New Ltd', tradingName: 'New', description: '', avatar: '' }
    const profile = { code: 'NEWSHOP', ...names, homeCurrency: 'USD', timeZone: 'Africa/Lagos' }
    const { merchantId, liveId } = await createMerchant(world.pool, profile, systemClock, world.newId)
    await inTransaction(world.pool, (tx) => joinMerchant(tx, owner.person.id, merchantId, 'owner', systemClock()))
    const inMode = (mode: string) => owner.get('/merchant/members', { 'scrip-merchant': 'NEWSHOP', 'scrip-mode': mode })
    expect((await inMode('test')).status).toBe(200)
    expect(codeOf(await inMode('live'))).toBe('SECOND_FACTOR_REQUIRED')
    await createKey(world.tools, { environmentId: liveId, mode: 'live' }, { kind: 'public', name: 'shop' })
    expect(codeOf(await inMode('test'))).toBe('SECOND_FACTOR_REQUIRED')
  })

  test('a recovery code signs in once, and neither password nor session can remove the second factor', async () => {
    const owner = await addPerson(world, 'staff')
    const { show, backupCodes } = await enable(owner)
    await owner.post('/auth/staff/two-factor/verify-totp', { code: show() })
    const [first = '', second = ''] = backupCodes
    const again = createVisitor(world, 'staff')
    expect((await again.signIn(owner.person.email)).json().data).toMatchObject({ twoFactorRedirect: true })
    expect((await again.get('/me')).status).toBe(401)
    // By default, the library trusts the browser for 30 days.
    const use = { code: first, trustDevice: true }
    expect((await again.post('/auth/staff/two-factor/verify-backup-code', use)).status).toBe(200)
    expect((await again.get('/me')).status).toBe(200)
    await again.post('/auth/staff/sign-out')
    expect((await again.signIn(owner.person.email)).json().data).toMatchObject({ twoFactorRedirect: true })
    expect((await again.post('/auth/staff/two-factor/verify-backup-code', { code: first })).status).toBe(401)
    for (const path of ['/auth/staff/two-factor/disable', '/auth/staff/two-factor/generate-backup-codes'])
      expect(codeOf(await owner.post(path, { password }))).toBe('SECOND_FACTOR_MISSING')
    const wrong = await owner.post('/auth/staff/two-factor/disable', { password, oneTimeCode: '000000' })
    expect(codeOf(wrong)).toBe('ONE_TIME_CODE_WRONG')
    const lost = await owner.post('/auth/staff/two-factor/disable', { password, recoveryCode: second })
    expect(lost.status).toBe(200)
  })

  test('one-time codes in an open session are limited to ten attempts', async () => {
    const owner = await addMember(world, world.ours, 'owner')
    const invite = { email: 'thief@example.com', role: 'owner' }
    const codes: string[] = []
    for (let i = 0; i < 13; i++)
      codes.push(codeOf(await owner.post('/merchant/members', { ...invite, oneTimeCode: String(100_000 + i) })))
    expect(codes.filter((code) => code === 'ONE_TIME_CODE_WRONG')).toHaveLength(10)
    expect(codes.at(-1)).toBe('TOO_MANY_TRIES')
  })

  test('with an authenticator app, session, password and PIN are not enough to add or delete a passkey', async () => {
    const owner = await addMember(world, world.ours, 'owner')
    const register = { response: {}, password, pin }
    expect(codeOf(await owner.post('/auth/staff/passkey/verify-registration', register))).toBe('SECOND_FACTOR_MISSING')
    const remove = { id: world.newId() }
    expect(codeOf(await owner.post('/auth/staff/passkey/delete-passkey', remove))).toBe('SECOND_FACTOR_MISSING')
  })

  test('setting up an authenticator app ends another session but not its own', async () => {
    const member = await addMember(world, world.ours, 'accountant')
    const thief = createVisitor(world, 'staff')
    await thief.signIn(member.person.email)
    expect((await thief.get('/me')).status).toBe(200)
    await enrolOneTimeCode(member)
    expect((await thief.get('/me')).status).toBe(401)
    expect((await member.get('/me')).status).toBe(200)
  })

  test('a staff session ends 12 hours after sign-in, also at a till; a wallet session lasts 30 days', async () => {
    const hours = async (userId: string) => {
      const lasts = list({ hours: sql.integer`round(extract(epoch from expires_at - created_at) / 3600)::integer` })
      const rows = await select(world.pool)`select ${lasts} from user_sessions where user_id = ${userId}`
      return rows.map((row) => row.hours)
    }
    const [cashier, wallet] = [await addMember(world, world.ours, 'cashier'), await addPerson(world, 'test')]
    expect([await hours(cashier.person.id), await hours(wallet.person.id)]).toEqual([[12], [720]])
    await cashier.post('/merchant/till/switch', { memberId: cashier.person.id, pin })
    expect(await hours(cashier.person.id)).toEqual([12])
    // Use within the last hour does not extend it.
    await world.pool.query(
      `update user_sessions set created_at = created_at - interval '11 hours', expires_at = expires_at - interval '11 hours'
        where user_id = $1`,
      [cashier.person.id],
    )
    expect((await cashier.get('/merchant/till')).status).toBe(200)
    expect(await hours(cashier.person.id)).toEqual([12])
    const past = new Date(systemClock().getTime() - 1_000)
    await world.pool.query('update user_sessions set expires_at = $2 where user_id = $1', [cashier.person.id, past])
    expect((await cashier.get('/merchant/till')).status).toBe(401)
  })
})
