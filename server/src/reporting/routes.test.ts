import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson, password, pin } from '../../local/test/visitor.ts'

type Row = Record<string, string>
type Member = Awaited<ReturnType<typeof addMember>>

let world: ApiWorld
let [owner, cashier, accountant]: Member[] = []
const start = Date.UTC(2026, 10, 16, 9)
// The clock only moves forward, since ids increase with it.
let at = new Date(start)
const api = '/merchant-integrations'

beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url, () => at)
  await world.charge()
  owner = await addMember(world, world.ours, 'owner')
  cashier = await addMember(world, world.ours, 'cashier')
  accountant = await addMember(world, world.ours, 'accountant')
  await world.fund(10_000)
})
afterAll(() => world.close())

function who(member: Member | undefined): Member {
  if (member === undefined) throw new Error('Nobody is there.')
  return member
}
async function read<Data>(member: Member | undefined, path: string): Promise<Data> {
  const reply = await who(member).get(path)
  expect([path, reply.status]).toEqual([path, 200])
  return reply.json().data as Data
}
const listed = async (query: string, member = accountant): Promise<string[]> =>
  (await read<{ payments: Row[] }>(member, `/merchant/payments?${query}`)).payments.map(
    ({ reference = '' }) => reference,
  )
const redeem = (member: Member | undefined, code: string | undefined, amount: number | string, referenceId: string) =>
  who(member).post(`${api}/redeem-voucher`, { voucherCode: code, amount, referenceId })

describe('the till', () => {
  test('switching by PIN gives a cashier the till of this merchant and ends the previous session', async () => {
    const [boss, kim] = [await addMember(world, world.ours, 'owner'), await addMember(world, world.ours, 'owner')]
    const old = new Map(boss.cookies)
    expect(
      (await boss.post('/merchant/till/switch', { memberId: kim.person.id, pin: '000000' })).json().error?.code,
    ).toBe('PIN_WRONG')
    expect((await boss.get('/merchant/home')).status).toBe(200)
    expect((await boss.post('/merchant/till/switch', { memberId: kim.person.id, pin })).status).toBe(200)
    expect((await read<{ me: string }>(boss, '/merchant/till')).me).toBe(kim.person.id)
    const { merchants } = await read<{ merchants: Row[] }>(boss, '/me/merchants')
    expect(merchants).toEqual([expect.objectContaining({ code: 'OURS', role: 'cashier', isTill: true })])
    // Neither the owner's access, nor the access that the password would give.
    for (const path of ['/merchant/home', '/merchant/payments', '/merchant/members'])
      expect((await boss.get(path)).json().error?.code).toBe('ROLE_FORBIDDEN')
    for (const cookie of boss.cookies.keys()) boss.cookies.set(cookie, old.get(cookie) ?? '')
    expect((await boss.get('/merchant/till')).status).toBe(401)
  })

  test('a till session cannot change the cashier’s account', async () => {
    const [boss, kim] = [await addMember(world, world.ours, 'owner'), await addMember(world, world.ours, 'cashier')]
    await boss.post('/merchant/till/switch', { memberId: kim.person.id, pin })
    for (const [path, body] of [
      ['/me/pin', { pin: '111111', password }],
      ['/me', { surname: 'Other' }],
      ['/auth/staff/change-password', { currentPassword: password, newPassword: 'another password' }],
      ['/auth/staff/revoke-other-sessions', {}],
    ] as const)
      expect([path, (await boss.post(path, body)).json().error?.code]).toEqual([path, 'TILL_ONLY'])
    const passkey = await boss.get('/auth/staff/passkey/generate-register-options')
    expect(passkey.json().error?.code).toBe('TILL_ONLY')
    expect((await boss.post('/auth/staff/sign-out')).status).toBe(200)
    expect((await boss.get('/merchant/till')).status).toBe(401)
  })

  test('staff of another merchant cannot be switched to, and a till session is valid for its merchant only', async () => {
    const kim = await addMember(world, world.ours, 'cashier')
    const stranger = await addMember(world, world.theirs, 'cashier')
    const tried = await kim.post('/merchant/till/switch', { memberId: stranger.person.id, pin })
    expect(tried.json().error?.code).toBe('MEMBER_NOT_FOUND')
    await world.pool.query(
      'insert into merchant_members (merchant_id, user_id, role, created_at) values ($1, $2, $3, $4)',
      [world.theirs.merchantId, kim.person.id, 'owner', at],
    )
    await kim.post('/merchant/till/switch', { memberId: kim.person.id, pin })
    const elsewhere = await kim.ask('GET', '/merchant/till', undefined, { 'scrip-merchant': world.theirs.code })
    expect(elsewhere.json().error?.code).toBe('MERCHANT_NOT_FOUND')
  })

  test('a till session ends with a new PIN or a role without till, and inactive staff cannot switch', async () => {
    const [boss, kim] = [await addMember(world, world.ours, 'owner'), await addMember(world, world.ours, 'cashier')]
    await boss.post('/merchant/till/switch', { memberId: kim.person.id, pin })
    expect((await boss.get('/merchant/till')).status).toBe(200)
    // The list shows no contact details.
    expect((await boss.get('/me')).json().data).toMatchObject({ email: '', phone: null, username: null })
    const setRole = (role: string) =>
      world.pool.query('update merchant_members set role = $2 where user_id = $1', [kim.person.id, role])
    await setRole('developer')
    expect((await boss.get('/merchant/till')).json().error?.code).toBe('ROLE_FORBIDDEN')
    const lea = await addMember(world, world.ours, 'cashier')
    const tried = await lea.post('/merchant/till/switch', { memberId: kim.person.id, pin })
    expect(tried.json().error?.code).toBe('MEMBER_NOT_FOUND')
    await setRole('cashier')
    expect((await boss.get('/merchant/till')).status).toBe(200)
    await kim.post('/me/pin', { pin: '482915', password })
    expect((await boss.get('/merchant/till')).status).toBe(401)
    await world.pool.query('update users set is_active = false where id = $1', [kim.person.id])
    const off = await lea.post('/merchant/till/switch', { memberId: kim.person.id, pin: '482915' })
    expect(off.json().error?.code).toBe('MEMBER_NOT_FOUND')
  })

  test('five wrong PINs lock the cashier, also at another till', async () => {
    const [boss, kim] = [await addMember(world, world.ours, 'owner'), await addMember(world, world.ours, 'cashier')]
    const wrong = { memberId: kim.person.id, pin: '000000' }
    for (let i = 0; i < 5; i++) await boss.post('/merchant/till/switch', wrong)
    const right = await who(cashier).post('/merchant/till/switch', { ...wrong, pin })
    expect(right.json().error?.code).toBe('PIN_LOCKED')
  })

  test('a cashier sees only their own sales and report; accountants see those of all staff', async () => {
    at = new Date(start + 2 * 86_400_000)
    const [kim, lea] = [await addMember(world, world.ours, 'cashier'), await addMember(world, world.ours, 'cashier')]
    const { code } = await world.issueVoucher()
    expect((await redeem(kim, code, 10, 'count-1')).status).toBe(200)
    await redeem(kim, code, '5.50', 'count-2')
    await redeem(lea, code, 3, 'count-3')
    await world.post<Row>(`${api}/redeem-voucher`, { voucherCode: code, amount: 2, referenceId: 'count-4' })
    const sales = await read<{ payments: Row[]; totals: object[] }>(kim, '/merchant/till/sales?limit=2')
    expect(sales.payments.map(({ reference, amount }) => [reference, amount])).toEqual([
      ['count-2', '5.50'],
      ['count-1', '10.00'],
    ])
    expect(sales.totals).toEqual([{ currency: 'USD', count: 2, amount: '15.50', refunded: '0.00' }])
    type Count = { cashiers: { id: string; rows: { redeemed: object; charges: string }[] }[] }
    const own = await read<Count>(kim, '/merchant/day-count')
    expect(own.cashiers.map(({ id }) => id)).toEqual([kim.person.id])
    expect(own.cashiers[0]?.rows[0]).toMatchObject({ redeemed: { count: 2, amount: '15.50' }, charges: '0.44' })
    const all = await read<Count>(accountant, '/merchant/day-count')
    expect(all.cashiers.map(({ id }) => id).sort()).toEqual([kim.person.id, lea.person.id, ''].sort())
    const before = await read<Count>(accountant, '/merchant/day-count?day=2026-11-17')
    expect(before.cashiers).toEqual([])
  })
})

describe('payments', () => {
  test('are found by reference, user, amount and the last symbols of a code', async () => {
    const { code } = await world.issueVoucher(250)
    await redeem(cashier, code, '12.34', 'find-1')
    await redeem(cashier, code, '43.21', 'find-2')
    const ada = await addPerson(world, 'test')
    const ask = { amount: 77.5, currency: 'USD', user_identifier: ada.person.email, reference_id: 'find-3' }
    await world.post<Row>(`${api}/payment-request`, ask)
    expect(await listed('search=find-1')).toEqual(['find-1'])
    expect(await listed('search=12.34')).toEqual(['find-1'])
    expect(await listed('search=77,5')).toEqual(['find-3'])
    expect(await listed(`search=${ada.person.email}`)).toEqual(['find-3'])
    expect(await listed(`search=@${ada.person.username}`)).toEqual(['find-3'])
    expect(await listed(`search=${code.slice(-4).toLowerCase()}`)).toEqual(['find-2', 'find-1'])
    expect(await listed(`search=${code.slice(-4)}&type=REFUND`)).toEqual([])
    // The full code is not searched.
    expect(await listed(`search=${code}`)).toEqual([])
  })

  test('can be filtered by type, status, currency, cashier and day, page by page', async () => {
    at = new Date(start + 4 * 86_400_000)
    const { code } = await world.issueVoucher()
    for (let i = 0; i < 5; i++) await redeem(i % 2 === 0 ? cashier : owner, code, 1, `page-${i}`)
    await world.post<Row>(`${api}/redeem-voucher`, { voucherCode: code, amount: 1, referenceId: 'page-api' })
    const refunded = { referenceId: 'page-0', refundReferenceId: 'page-refund' }
    await who(accountant).post('/merchant-integrations-server/refund', refunded)
    const [from, until] = ['2026-11-20', '2026-11-20']
    const span = `from=${from}&until=${until}`
    const all = ['page-refund', 'page-api', 'page-4', 'page-3', 'page-2', 'page-1', 'page-0']
    expect(await listed(span)).toEqual(all)
    expect(await listed(`${span}&type=VOUCHER_REDEMPTION&currency=usd`)).toEqual(all.slice(1))
    expect(await listed(`${span}&status=REFUNDED`)).toEqual(['page-0'])
    expect(await listed(`${span}&cashier=${who(owner).person.id}`)).toEqual(['page-3', 'page-1'])
    expect(await listed(`${span}&cashier=api`)).toEqual(['page-api'])
    expect(await listed(`${span}&currency=EUR`)).toEqual([])
    expect(await listed('from=2026-11-21')).toEqual([])
    const paged: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = `${span}&type=VOUCHER_REDEMPTION&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const page: { payments: Row[]; nextCursor: string } = await read(accountant, `/merchant/payments?${query}`)
      paged.push(...page.payments.map(({ reference = '' }) => reference))
      cursor = page.nextCursor === '' ? undefined : page.nextCursor
    }
    expect(paged).toEqual(all.slice(1))
  })

  test('the detail has price, journals, refunds, events and attempts, and four symbols of the voucher code', async () => {
    const endpoint = await world.post<Row>('/webhook-endpoints', { url: 'http://127.0.0.1:9/' })
    expect(endpoint.status).toBe(200)
    const { code, id } = await world.issueVoucher()
    await redeem(cashier, code, 20, 'detail-1')
    const back = { referenceId: 'detail-1', amount: 5, reason: 'torn', refundReferenceId: 'detail-back' }
    await who(accountant).post('/merchant-integrations-server/refund', back)
    await world.work()
    type Detail = {
      payment: Row
      price: Row
      voucher: Row
      refundOf: Row | null
      refunds: Row[]
      journals: { reference: string; transfers: Row[] }[]
      events: { type: string; deliveries: { url: string; attempts: object[] }[] }[]
    }
    const detail = await read<Detail>(accountant, '/merchant/payments/detail-1')
    expect(detail.payment).toMatchObject({ amount: '20.00', charged: '20.40', refundable: '15.00', by: 'Ada Obi' })
    expect(detail.price).toEqual({ charge: '0.40', chargedTo: 'voucher', received: '20.00', receivedCurrency: 'USD' })
    expect(detail.voucher).toEqual({ id, codeTail: code.slice(-4), isOwn: true })
    expect(detail.refunds).toEqual([
      expect.objectContaining({ reference: 'detail-back', amount: '5.00', reason: 'torn' }),
    ])
    const from = { kind: 'voucher', name: code.slice(-4) }
    expect(detail.journals[0]?.transfers).toEqual([
      { from, to: { kind: 'merchant', name: '' }, amount: '20.00', currency: 'USD' },
      { from, to: { kind: 'fee', name: '' }, amount: '0.40', currency: 'USD' },
    ])
    expect(detail.journals.slice(1)).toEqual([
      expect.objectContaining({
        reference: 'detail-back',
        transfers: [{ from: { kind: 'merchant', name: '' }, to: from, amount: '5.00', currency: 'USD' }],
      }),
    ])
    expect(detail.events.map(({ type }) => type)).toEqual(['voucher.redeemed'])
    expect(detail.events[0]?.deliveries[0]?.attempts.length).toBeGreaterThan(0)
    expect(JSON.stringify(detail)).not.toContain(code)
    const developer = await addMember(world, world.ours, 'developer')
    const shown = await read<Detail>(developer, '/merchant/payments/detail-1')
    expect(shown.payment).toMatchObject({ refundable: '', canMailReceipt: false })
    const refund = await read<Detail>(accountant, '/merchant/payments/detail-back')
    expect(refund.refundOf).toEqual({ reference: 'detail-1', amount: '20.00' })
    expect((await who(accountant).get('/merchant/payments/none')).status).toBe(404)
    expect((await who(accountant).get('/merchant/payments?from=0000-01-01')).status).toBe(400)
  })

  test('one that a user authorised has the journal that settled it, and counts on that day', async () => {
    at = new Date(start + 6 * 86_400_000 + 13.9 * 3_600_000)
    const ada = await addPerson(world, 'test')
    await world.fund(50, { user: ada.person.email })
    const ask = { amount: 30, currency: 'USD', user_identifier: ada.person.email, reference_id: 'late-1' }
    await world.post<Row>(`${api}/payment-request`, ask)
    // Past midnight in Lagos.
    at = new Date(at.getTime() + 600_000)
    await world.post<Row>('/sandbox/payment-requests/late-1/authorise', {})
    const detail = await read<{ payment: Row; journals: { kind: string }[] }>(accountant, '/merchant/payments/late-1')
    expect(detail.payment).toMatchObject({ status: 'COMPLETED', settledAt: at.toISOString(), person: 'Ada Obi' })
    expect(detail.journals.map(({ kind }) => kind)).toEqual(['claim.payment', 'payment.authorise'])
    const home = await read<{ today: string; days: Row[] }>(accountant, '/merchant/home')
    expect(home.today).toBe('2026-11-23')
    expect(home.days.filter(({ day = '' }) => day > '2026-11-20')).toEqual([
      { day: '2026-11-23', kind: 'PAYMENT_REQUEST', currency: 'USD', count: 1, amount: '30.00' },
    ])
  })

  test('are not visible to another merchant', async () => {
    const theirs = await addMember(world, world.theirs, 'owner')
    expect(await listed('', theirs)).toEqual([])
    expect((await theirs.get('/merchant/payments/find-1')).status).toBe(404)
    expect((await theirs.get('/merchant/payments.csv')).text.trim().split('\r\n')).toHaveLength(1)
  })

  test('the export has a line for each with fee, net and times in the shop’s zone, and no formula cells', async () => {
    const { code } = await world.issueVoucher()
    const sale = { voucherCode: code, amount: 4, referenceId: 'csv-1', metaData: '=1+2, "x"' }
    await who(cashier).post(`${api}/redeem-voucher`, sale)
    const csv = await who(accountant).get('/merchant/payments.csv?search=csv-1')
    expect(csv.headers['content-type']).toContain('text/csv')
    const [head, line, end] = csv.text.split('\r\n')
    expect(head).toBe(
      'created,settled,reference,type,status,direction,currency,amount,charged,refunded,fee,net,moved,by,person,code ends with,metadata,status reason',
    )
    const [created = '', settled] = line?.split(',') ?? []
    expect(created).toMatch(/^2026-11-\d\dT\d\d:\d\d:\d\d\+01:00$/)
    expect(settled).toBe(created)
    expect(Math.abs(Date.parse(created) - at.getTime())).toBeLessThan(1_000)
    // The voucher paid the fee of 0.16 on top.
    expect(line).toContain(',csv-1,VOUCHER_REDEMPTION,COMPLETED,in,USD,4.00,4.16,0.00,0.16,4.00,4.00,Ada Obi,,')
    expect(line).toContain(`"'=1+2, ""x"""`)
    expect(end).toBe('')
  })

  test('a fee that the merchant pays reduces the net of the export, one that the voucher pays does not', async () => {
    await world.fund(10, { account: 'admin' })
    await world.post<Row>(`${api}/update-admin-charges`, { takeChargesFromWallet: true })
    const { code } = await world.issueVoucher()
    await redeem(cashier, code, 4, 'net-1')
    // The merchant pays no fee that exceeds the amount.
    await redeem(cashier, code, '0.05', 'net-2')
    await world.post<Row>(`${api}/update-admin-charges`, { takeChargesFromWallet: false })
    const lineOf = async (reference: string) =>
      (await who(accountant).get(`/merchant/payments.csv?search=${reference}`)).text.split('\r\n')[1]
    expect(await lineOf('net-1')).toContain(',USD,4.00,4.00,0.00,0.16,3.84,4.00,')
    expect(await lineOf('net-2')).toContain(',USD,0.05,0.16,0.00,0.11,0.05,0.05,')
  })
})

describe('issued vouchers', () => {
  type Issued = { vouchers: Row[]; nextCursor: string }
  const issue = async (more: object = {}) =>
    (await world.post<Row>('/merchant-integrations-server/vouchers', { amount: 40, currency: 'USD', ...more })).data

  test('are found by the last symbols, by recipient and by state', async () => {
    const { id = '', code = '' } = await issue({ forEmail: 'Gift@example.com', lockPin: '4821' })
    const found = async (query: string) =>
      (await read<Issued>(accountant, `/merchant/issued?${query}`)).vouchers.map((one) => one.id)
    expect(await found(`search=${code.slice(-4)}`)).toEqual([id])
    expect(await found('search=gift@example.com')).toEqual([id])
    expect(await found('state=frozen')).toEqual([])
    for (let i = 0; i < 10; i++) {
      await world.post<Row>(`${api}/redeem-voucher`, { voucherCode: code, amount: 1, lockPin: '0000' })
      if (i === 4) at = new Date(at.getTime() + 16 * 60_000)
    }
    expect(await found('state=frozen')).toEqual([id])
    const home = await read<{ attention: object[] }>(accountant, '/merchant/home')
    expect(home.attention).toContainEqual({ kind: 'vouchers_frozen', count: 1 })
    await who(accountant).post(`/merchant-integrations-server/vouchers/${id}/reset-pin`, { pin })
    await who(accountant).post(`/merchant-integrations-server/vouchers/${id}/block`, {})
    expect(await found('state=blocked')).toEqual([id])
    expect(await found('state=frozen')).toEqual([])
    type One = { voucher: Row; life: Row[] }
    const { voucher: one, life } = await read<One>(accountant, `/merchant/issued/${id}`)
    expect(one).toMatchObject({ state: 'blocked', balance: '40.00', recipient: 'Gift@example.com', hasPin: true })
    expect(life.map(({ kind }) => kind)).toEqual(['issued', 'pin_frozen', 'pin_reset', 'blocked'])
  })

  test('show a code on request, and the audit log records it', async () => {
    const { id = '', code = '' } = await issue()
    const list = await who(accountant).get('/merchant/issued')
    expect(list.text).not.toContain(code)
    expect((await who(accountant).post(`/merchant/issued/${id}/code`, { pin })).json().data).toEqual({ code })
    const { acts } = await read<{ acts: Row[] }>(owner, '/merchant/acts?limit=1')
    expect(acts[0]).toMatchObject({ operation: 'POST /merchant/issued/:id/code', object: id })
    const theirs = await addMember(world, world.theirs, 'owner')
    expect((await theirs.post(`/merchant/issued/${id}/code`, { pin })).status).toBe(404)
    expect((await theirs.get(`/merchant/issued/${id}`)).status).toBe(404)
  })

  test('of a batch hide their codes until the batch is downloaded', async () => {
    const batch = await world.post<Row>('/merchant-integrations-server/voucher-batches', {
      size: 2,
      amount: 1,
      currency: 'USD',
    })
    await world.work()
    const { vouchers } = await read<Issued>(accountant, '/merchant/issued?limit=2')
    const [{ id = '', batchId } = {}] = vouchers
    expect(batchId).toBe(batch.data.id)
    expect((await who(accountant).post(`/merchant/issued/${id}/code`, { pin })).status).toBe(409)
    await who(accountant).get(`/merchant-integrations-server/voucher-batches/${batchId}/vouchers.csv`, {
      'scrip-pin': pin,
    })
    expect((await who(accountant).post(`/merchant/issued/${id}/code`, { pin })).status).toBe(200)
  })

  test('show their activity: redeemed, refunded, replaced', async () => {
    const { id = '', code } = await issue()
    await redeem(cashier, code, 10, 'life-1')
    const refund = { referenceId: 'life-1', amount: 4, refundReferenceId: 'life-back', reason: 'broken' }
    await who(accountant).post('/merchant-integrations-server/refund', refund)
    await who(accountant).post(`/merchant-integrations-server/vouchers/${id}/replace`, { referenceId: 'life-2', pin })
    const { voucher: old, life } = await read<{ voucher: Row; life: Row[] }>(accountant, `/merchant/issued/${id}`)
    expect(life.map(({ kind, amount, reference }) => [kind, amount, reference])).toEqual([
      ['issued', '40.00', expect.any(String)],
      ['redemption', '10.00', 'life-1'],
      ['refund', '4.00', 'life-back'],
      ['replacement', '33.75', ''],
    ])
    expect(life[2]?.reason).toBe('broken')
    const next = await read<{ voucher: Row }>(accountant, `/merchant/issued/${old.replacedBy ?? ''}`)
    expect(next.voucher).toMatchObject({ replaces: id, balance: '33.75' })
    const csv = await who(accountant).get('/merchant/issued.csv?state=replaced')
    const lines = csv.text.split('\r\n').filter((line) => line.includes(',replaced,'))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^2026-11-\d\dT\d\d:\d\d:\d\d\+01:00,/)
  })
})
