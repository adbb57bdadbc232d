// Rules at issue: what is accepted, which vouchers get them, and that replacements keep them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin, type VisitingUser } from '../../../local/test/visitor.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'

type Rules = Record<string, unknown>
type Voucher = { id: string; code: string; rules: Rules | null }

let world: ApiWorld
let ada: VisitingUser
let customerId: string
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  ada = await addPerson(world, 'test')
  await world.fund(10_000)
  await world.post(`${SK}/add-new-customer`, { email: 'grace@example.com', name: 'Grace' })
  const { data } = await world.get<{ customer: { id: string }[] }>(`${PK}/fetch-customers`)
  customerId = data.customer[0]?.id ?? ''
})
afterAll(() => world.close())

const issue = (rules: object, more: object = {}) =>
  world.post<Voucher>(`${SK}/vouchers`, { amount: 20, currency: 'USD', rules, ...more })
const rulesOf = async (voucherCode: string): Promise<Rules | null> =>
  (await world.post<Voucher>(`${PK}/verify-voucher`, { voucherCode })).data.rules
const codesOf = async (batchId: string): Promise<string[]> => {
  await world.work()
  const { text } = await world.get(`${SK}/voucher-batches/${batchId}/vouchers.csv`)
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1] ?? '')
}
const none = {
  minimumPurchase: 0,
  validFrom: '',
  weekdays: [],
  onePerOrder: false,
  isBound: false,
  customerId: '',
  userIdentifier: '',
}

test('all rules are shown as they were set, in the response, in the list and by verify-voucher', async () => {
  const rules = {
    minimumPurchase: '49.90',
    // Lagos is an hour ahead of UTC.
    validFrom: '2030-06-01',
    weekdays: ['sunday', 'monday'],
    onePerOrder: true,
    customerId,
  }
  const shown = {
    ...rules,
    minimumPurchase: 49.9,
    validFrom: '2030-05-31T23:00:00.000Z',
    weekdays: ['monday', 'sunday'],
    isBound: true,
    userIdentifier: '',
  }
  const { data } = await issue(rules)
  expect(data.rules).toEqual(shown)
  expect(await rulesOf(data.code)).toEqual(shown)
  const { vouchers } = (await world.get<{ vouchers: Voucher[] }>(`${SK}/vouchers`)).data
  expect(vouchers.find(({ id }) => id === data.id)?.rules).toEqual(shown)
})

test.each<[string, object, object, number, string]>([
  ['a minimum of nothing', { minimumPurchase: 0 }, {}, 422, 'AMOUNT_ZERO'],
  ['a minimum with too many decimals', { minimumPurchase: '1.005' }, {}, 422, 'AMOUNT_TOO_PRECISE'],
  ['a start that is no date', { validFrom: 'soon' }, {}, 422, 'RULES_START_INVALID'],
  ['a start on 31 April', { validFrom: '2030-04-31' }, {}, 422, 'RULES_START_INVALID'],
  ['a start after the expiry', { validFrom: '2031-01-02' }, { expiresAt: '2031-01-01' }, 422, 'RULES_START_INVALID'],
  ['an unknown weekday', { weekdays: ['Monday'] }, {}, 400, 'FIELD_INVALID'],
  ['no weekday', { weekdays: [] }, {}, 400, 'FIELD_INVALID'],
  ['an unknown rule', { onlyOnce: true }, {}, 400, 'FIELD_INVALID'],
  ['an unknown user', { userIdentifier: 'nobody@example.com' }, {}, 404, 'USER_NOT_FOUND'],
  ['rules of an onchain voucher', { onePerOrder: true }, { onchain: true }, 422, 'RULES_ONCHAIN'],
])('%s is refused', async (_, rules, more, status, code) => {
  const refused = await issue(rules, more)
  expect([refused.status, refused.error?.code]).toEqual([status, code])
})

test('a voucher is bound to one person, who is a customer of its issuer or a user', async () => {
  const twice = await issue({ customerId, userIdentifier: ada.person.email })
  expect(twice.error?.code).toBe('RULES_BOUND_TWICE')
  expect((await issue({ customerId: world.newId() })).error?.code).toBe('CUSTOMER_NOT_FOUND')
  const foreign = { amount: 1, currency: 'USD', rules: { customerId } }
  expect((await world.post('/sandbox/vouchers', foreign, world.theirs)).error?.code).toBe('CUSTOMER_NOT_FOUND')
  const { data } = await issue({ userIdentifier: ` ${ada.person.username} ` })
  expect(data.rules).toEqual({ ...none, isBound: true, userIdentifier: ada.person.username })
})

test('rules without any rule are none', async () => {
  for (const rules of [{}, { onePerOrder: false }]) expect((await issue(rules)).data.rules).toBeNull()
})

test('a retry with other rules is refused, and one with the same rules returns the voucher', async () => {
  const referenceId = world.newId()
  const { data } = await issue({ onePerOrder: true, weekdays: ['friday', 'monday'] }, { referenceId })
  const same = await issue({ weekdays: ['monday', 'friday'], onePerOrder: true }, { referenceId })
  expect(same.data.id).toBe(data.id)
  for (const rules of [{ onePerOrder: true }, {}])
    expect((await issue(rules, { referenceId })).error?.code).toBe('REFERENCE_TAKEN')
})

test('all vouchers of a batch, of cards, of an import and of a sale have their rules', async () => {
  const rules = { minimumPurchase: 30 }
  const shown = { ...none, ...rules }
  const terms = { size: 2, amount: 5, currency: 'USD', rules }
  const batch = await world.post<Voucher>(`${SK}/voucher-batches`, terms)
  expect(batch.data.rules).toEqual(shown)
  for (const code of await codesOf(batch.data.id)) expect(await rulesOf(code)).toEqual(shown)

  const cards = await world.post<Voucher>(`${SK}/voucher-cards`, terms)
  const [card = ''] = await codesOf(cards.data.id)
  const sale = { currency: 'USD', tender: 'cash' }
  const onCard = await world.post(`${SK}/voucher-sales`, { ...sale, voucherCode: card, rules })
  expect(onCard.error?.code).toBe('RULES_ON_CARD')
  await world.post(`${SK}/voucher-sales`, { ...sale, voucherCode: card })
  expect(await rulesOf(card)).toEqual(shown)

  const sold = await world.post<{ voucher: Voucher }>(`${SK}/voucher-sales`, { ...sale, amount: 5, rules })
  expect(sold.data.voucher.rules).toEqual(shown)
  expect((await world.redeem({ voucherCode: sold.data.voucher.code, amount: 1 })).error?.code).toBe(
    'VOUCHER_PURCHASE_MISSING',
  )

  const file = { csv: 'code,balance\nOLD-CARD-0001,5', currency: 'USD', rules }
  const { data: checked } = await world.post<{ trial: { confirmation: string } }>(`${SK}/voucher-imports`, file)
  const { confirmation } = checked.trial
  const other = await world.post(`${SK}/voucher-imports`, { ...file, rules: {}, confirmation })
  expect(other.error?.code).toBe('IMPORT_UNCONFIRMED')
  await world.post(`${SK}/voucher-imports`, { ...file, confirmation })
  await world.work()
  expect(await rulesOf('OLD-CARD-0001')).toEqual(shown)
})

test('a replaced voucher keeps its rules, and its order stays taken', async () => {
  const { data: old } = await issue({ onePerOrder: true, customerId })
  const about = { orderReference: world.newId(), customerId }
  await world.redeem({ voucherCode: old.code, amount: 1, ...about })
  const { data: next } = await world.post<Voucher>(`${SK}/vouchers/${old.id}/replace`, {})
  expect(next.rules).toEqual(old.rules)
  expect((await world.redeem({ voucherCode: next.code, amount: 1, ...about })).error?.code).toBe(
    'VOUCHER_ONE_PER_ORDER',
  )
  const another = { ...about, orderReference: world.newId() }
  expect((await world.redeem({ voucherCode: next.code, amount: 1, ...another })).status).toBe(200)
})

test('rules prevent neither a refund, nor cancelling, nor cash back', async () => {
  const rules = { validFrom: '2090-01-01', minimumPurchase: 10 }
  const { data } = await issue(rules)
  expect((await world.post(`${SK}/vouchers/${data.id}/cancel`, { voucherCode: data.code })).status).toBe(200)
  const sale = { amount: 5, currency: 'USD', tender: 'cash', rules }
  const { voucher } = (await world.post<{ voucher: Voucher }>(`${SK}/voucher-sales`, sale)).data
  const back = await world.post(`${SK}/voucher-cash-backs`, { voucherCode: voucher.code, tender: 'cash' })
  expect(back.status).toBe(200)
})

test('a voucher and a batch that wait for approval get their rules when they are approved', async () => {
  const [owner, accountant] = [
    await addMember(world, world.ours, 'owner'),
    await addMember(world, world.ours, 'accountant'),
  ]
  const limits = { daily: 'none', approvalAbove: '1', newRecipientHours: 0, pin }
  expect((await owner.post('/merchant/outflow-limits', limits)).status).toBe(200)
  const terms = { amount: 5, currency: 'USD', rules: { userIdentifier: ada.person.email }, referenceId: 'waits' }
  const batch = { ...terms, size: 1, referenceId: 'batch-waits' }
  for (const [path, body] of [
    ['vouchers', terms],
    ['voucher-batches', batch],
  ] as const) {
    expect((await world.post(`${SK}/${path}`, body)).body).toMatchObject({ status: 'PENDING' })
    // This much needs both.
    for (const member of [accountant, owner])
      expect((await member.post(`/merchant/outflows/${body.referenceId}/approve`, { pin })).status).toBe(200)
  }
  const shown = { ...none, isBound: true, userIdentifier: ada.person.email }
  expect((await world.post<Voucher>(`${SK}/voucher-batches`, batch)).data.rules).toEqual(shown)
  expect((await world.post<Voucher>(`${SK}/vouchers`, terms)).data.rules).toEqual(shown)
})
