import { type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WorldMerchant } from '../../../local/test/api-world.ts'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { addMember, addPerson, pin } from '../../../local/test/visitor.ts'
import { createPool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const S = '/merchant-integrations-server'
type Person = Awaited<ReturnType<typeof addPerson>>
type Member = Awaited<ReturnType<typeof addMember>>
let world: ChainWorld
let owner: Member
let accountant: Member
let ada: Person
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.convertFree('ETH', 'USD')
  owner = await addMember(world, world.ours, 'owner')
  accountant = await addMember(world, world.ours, 'accountant')
  ada = await addPerson(world, 'test')
  await world.settle()
  await world.settle()
})
afterAll(async () => {
  const books = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.stop()
})

type Data = Record<string, unknown> & { status: string; refundedAmount: number }
type Answer = { code: number; status: string; data: Data; error?: { code: string; maxAmount?: number } }
const ask = async (path: string, body: object, as: WorldMerchant = world.ours) => {
  const { text, headers, body: answer } = await world.post(path, body, as)
  return { ...(answer as Answer), isReplayed: headers['idempotent-replayed'] === 'true', text }
}
const refund = (body: object, as?: WorldMerchant) =>
  ask(`${S}/refund`, { refundReferenceId: world.newId(), ...body }, as)
const toAda = () => ({ platformUsernameOrEmail: ada.person.email })
const pay = async (address: Hex, value: bigint): Promise<void> => {
  await world.client.sendTransaction({ to: address, value })
  await world.settle()
}
/** A completed deposit of 25 USD. */
const complete = async (): Promise<string> => {
  const { reference, address, toDeposit } = await world.request()
  await pay(address, parseEther(toDeposit))
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  return reference
}
const verify = async (reference: string): Promise<Data> =>
  (await world.get<Data>(`${S}/verify-transaction/${reference}`)).data
const walletOf = async (person: Person, currency: string): Promise<number> => {
  const { data } = (await person.get('/wallet')).as<{ data: { balances: { currency: string; available: string }[] } }>()
  return Number(data.balances.find((one) => one.currency === currency)?.available ?? 0)
}
const noLimits = { daily: 'none', approvalAbove: 'none', newRecipientHours: 0 }
/** Sets limits of the shop, until the end of the test. */
const limit = async (limits: Partial<typeof noLimits>): Promise<void> => {
  const set = (to: object) => owner.post('/merchant/outflow-limits', { ...noLimits, ...to, pin })
  restoreAfterTest(() => set({}))
  const reply = await set(limits)
  expect(reply.status, reply.text).toBe(200)
}

test('a completed deposit is refunded in parts to the wallet of a user, up to what it credited', async () => {
  const referenceId = await complete()
  const before = { shop: await world.balance(), ada: await walletOf(ada, 'USD') }
  const part = await refund({ referenceId, amount: 10, ...toAda(), reason: 'torn', refundReferenceId: 'part' })
  expect(part).toMatchObject({ code: 200, status: 'success', data: { amount: 10, currency: 'USD', referenceId } })
  expect(await verify(referenceId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 10 })
  expect(await verify('part')).toMatchObject({ type: 'REFUND', status: 'COMPLETED', amount: 10, metaData: 'torn' })
  const tooMuch = await refund({ referenceId, amount: 15.01, ...toAda() })
  expect(tooMuch).toMatchObject({ code: 422, error: { code: 'REFUND_TOO_LARGE', maxAmount: 15 } })
  expect((await refund({ referenceId, ...toAda() })).data.amount).toBe(15)
  expect(await verify(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 25 })
  expect((await refund({ referenceId, ...toAda() })).error?.code).toBe('REFUND_TOO_LARGE')
  expect((await walletOf(ada, 'USD')) - before.ada).toBe(25)
  expect(before.shop - (await world.balance())).toBe(25)
  const { data } = (await ada.get('/wallet/activity')).as<{ data: { moves: object[] } }>()
  expect(data.moves[0]).toMatchObject({ kind: 'refunded', currency: 'USD', withName: 'OURS' })
})

test('concurrent refunds of a deposit never exceed what it credited, and a retry returns the first result', async () => {
  const referenceId = await complete()
  const before = await walletOf(ada, 'USD')
  const replies = await Promise.all(Array.from({ length: 4 }, () => refund({ referenceId, amount: 10, ...toAda() })))
  expect(replies.map(({ code }) => code).sort()).toEqual([200, 200, 422, 422])
  expect((await walletOf(ada, 'USD')) - before).toBe(20)
  const again = { referenceId, amount: 5, ...toAda(), refundReferenceId: 'again' }
  const first = await refund(again)
  const second = await refund(again)
  expect([first.isReplayed, second.isReplayed]).toEqual([false, true])
  expect(second.text).toBe(first.text)
  expect((await refund({ ...again, platformUsernameOrEmail: 'eve@example.com' })).error?.code).toBe('REFERENCE_TAKEN')
  expect((await walletOf(ada, 'USD')) - before).toBe(25)
})

test('a tolerated underpayment is refunded only up to the credit', async () => {
  const { reference, address, toDeposit } = await world.request({ amount: 1_000 })
  const before = await world.balance()
  await pay(address, (parseEther(toDeposit) * 9_995n) / 10_000n)
  const credited = (await world.balance()) - before
  expect(credited).toBeLessThan(1_000)
  expect((await refund({ referenceId: reference, amount: 1_000, ...toAda() })).code).toBe(422)
  expect((await refund({ referenceId: reference, ...toAda() })).data.amount).toBeCloseTo(credited, 2)
  expect(await world.balance()).toBeCloseTo(before, 2)
})

test('a deposit is refunded to the balance of another merchant, who sees it among its transactions', async () => {
  const referenceId = await complete()
  const before = await world.balance('USD', world.theirs)
  expect((await refund({ referenceId, merchantCode: 'THEIRS' })).code).toBe(200)
  expect((await world.balance('USD', world.theirs)) - before).toBe(25)
  const { text } = await world.call('GET', `${S}/transactions?type=ADJUSTMENT`, { as: world.theirs })
  expect((JSON.parse(text) as { data: { transactions: object[] } }).data.transactions[0]).toMatchObject({ amount: 25 })
})

test('a refund needs one recipient, a completed deposit of the merchant, and its balance', async () => {
  const referenceId = await complete()
  const codeOf = async (body: object, as?: WorldMerchant) => (await refund({ referenceId, ...body }, as)).error?.code
  expect(await codeOf({})).toBe('REFUND_RECIPIENT_MISSING')
  expect(await codeOf({ ...toAda(), merchantCode: 'THEIRS' })).toBe('REFUND_RECIPIENT_TWICE')
  expect(await codeOf({ merchantCode: 'OURS' })).toBe('REFUND_TO_YOURSELF')
  expect(await codeOf({ merchantCode: 'NOBODY' })).toBe('REFUND_MERCHANT_UNKNOWN')
  expect(await codeOf({ platformUsernameOrEmail: 'nobody@example.com' })).toBe('USER_NOT_FOUND')
  expect(await codeOf(toAda(), world.theirs)).toBe('TRANSACTION_NOT_FOUND')
  const open = await world.request()
  expect(await codeOf({ referenceId: open.reference, ...toAda() })).toBe('REFUND_IMPOSSIBLE')
  const spent = await world.balance()
  await ask(`${S}/vouchers`, { amount: spent, currency: 'USD', referenceId: 'spent' })
  expect(await codeOf({ referenceId: 'spent', ...toAda() })).toBe('REFUND_RECIPIENT_FIXED')
  expect(await codeOf(toAda())).toBe('REFUND_BALANCE_TOO_LOW')
  expect(await verify(referenceId)).toMatchObject({ status: 'COMPLETED', refundedAmount: 0 })
})

type Listed = { id: string; reference: string; resolution: string }
const listCases = async (): Promise<Listed[]> => {
  return (await world.get<{ cases: Listed[] }>(`${S}/deposit-cases?limit=100`)).data.cases
}
/** A completed deposit with an overpayment of half a coin. */
const overpay = async (): Promise<Listed> => {
  const { reference, address, toDeposit } = await world.request()
  await pay(address, parseEther(toDeposit) + parseEther('0.5'))
  const found = (await listCases()).find((one) => one.reference === reference)
  if (found === undefined) throw new Error('The overpayment is no unmatched deposit.')
  return found
}

test('an unmatched deposit is returned once, in the currency that was paid', async () => {
  const { id, reference } = await overpay()
  const path = `${S}/deposit-cases/${id}/return`
  const before = { shop: await world.balance('ETH'), ada: await walletOf(ada, 'ETH') }
  const body = { ...toAda(), refundReferenceId: 'returned' }
  const returned = await ask(path, body)
  expect(returned).toMatchObject({ code: 200, data: { amount: 0.5, currency: 'ETH', referenceId: reference } })
  expect((await ask(path, body)).isReplayed).toBe(true)
  expect((await ask(path, { ...body, refundReferenceId: 'more' })).error?.code).toBe('CASE_RESOLVED')
  expect((await ask(`${S}/deposit-cases/${id}/credit`, {})).error?.code).toBe('CASE_RESOLVED')
  expect((await walletOf(ada, 'ETH')) - before.ada).toBe(0.5)
  expect(await world.balance('ETH')).toBe(before.shop)
  expect((await listCases()).find((one) => one.id === id)?.resolution).toBe('returned')
  // The deposit itself can still be refunded in full.
  expect((await refund({ referenceId: reference, ...toAda() })).data.amount).toBe(25)
})

test('a return that waits is sent after two approvals, and stays on the balance if it is canceled', async () => {
  await limit({ approvalAbove: '0' })
  const before = { shop: await world.balance('ETH'), ada: await walletOf(ada, 'ETH') }
  for (const refundReferenceId of ['return-canceled', 'return-approved']) {
    const { id } = await overpay()
    const waiting = await ask(`${S}/deposit-cases/${id}/return`, { ...toAda(), refundReferenceId })
    expect(waiting).toMatchObject({ code: 200, status: 'PENDING', data: { amount: 0.5, currency: 'ETH' } })
  }
  expect((await ask(`${S}/outflows/return-canceled/cancel`, {})).code).toBe(200)
  expect(await walletOf(ada, 'ETH')).toBe(before.ada)
  for (const staff of [owner, accountant])
    expect((await staff.post('/merchant/outflows/return-approved/approve', { pin })).status).toBe(200)
  expect((await walletOf(ada, 'ETH')) - before.ada).toBe(0.5)
  expect((await world.balance('ETH')) - before.shop).toBe(0.5)
})

test('above the threshold a refund waits for two approvals, counts as refunded meanwhile, and is free again if canceled', async () => {
  const referenceId = await complete()
  await limit({ approvalAbove: '0' })
  const before = await walletOf(ada, 'USD')
  const waiting = await refund({ referenceId, amount: 20, ...toAda(), refundReferenceId: 'waits' })
  expect(waiting).toMatchObject({ code: 200, status: 'PENDING', data: { amount: 20, currency: 'USD' } })
  expect(await refund({ referenceId, amount: 6, ...toAda() })).toMatchObject({ error: { maxAmount: 5 } })
  expect((await ask(`${S}/outflows/waits/cancel`, {})).code).toBe(200)
  expect(await verify('waits')).toMatchObject({ status: 'CANCELED' })
  expect(await walletOf(ada, 'USD')).toBe(before)

  await refund({ referenceId, ...toAda(), refundReferenceId: 'approved' })
  for (const staff of [owner, accountant])
    expect((await staff.post('/merchant/outflows/approved/approve', { pin })).status).toBe(200)
  expect((await walletOf(ada, 'USD')) - before).toBe(25)
  expect(await verify(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 25 })
  expect(await verify('approved')).toMatchObject({ type: 'REFUND', status: 'COMPLETED' })
})

test('a refund to a new recipient waits, and one above the daily limit is refused', async () => {
  const referenceId = await complete()
  const ben = await addPerson(world, 'test')
  await limit({ newRecipientHours: 24 })
  const toBen = { platformUsernameOrEmail: ben.person.email }
  expect((await refund({ referenceId, amount: 1, ...toBen })).status).toBe('APPROVED')
  expect((await refund({ referenceId, amount: 1, ...toAda() })).status).toBe('success')
  expect(await walletOf(ben, 'USD')).toBe(0)
  await limit({ daily: '0' })
  expect((await refund({ referenceId, amount: 1, ...toAda() })).error?.code).toBe('OUTFLOW_ABOVE_DAILY')
})

// Keep these tests last: a reorganisation sets anvil's clock back.
test('if its network undoes a refunded deposit, the merchant who had the credit and refunded it pays, not the platform', async () => {
  await world.fund(100)
  const referenceId = await complete()
  const before = await world.balance()
  await refund({ referenceId, ...toAda() })
  expect(await verify(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 25 })
  await world.ask('anvil_reorg', 6, [])
  await world.settle(8)
  expect(await verify(referenceId)).toMatchObject({ status: 'REFUNDED', refundedAmount: 25 })
  expect(before - (await world.balance())).toBe(50)
})

test('a waiting refund of a deposit that the network reverses is not sent', async () => {
  const referenceId = await complete()
  await limit({ approvalAbove: '0' })
  const before = await walletOf(ada, 'USD')
  await refund({ referenceId, ...toAda(), refundReferenceId: 'reversed' })
  await world.ask('anvil_reorg', 6, [])
  await world.settle(8)
  expect(await world.statusOf(referenceId)).toBe('REVERSED')
  await owner.post('/merchant/outflows/reversed/approve', { pin })
  const last = await accountant.post('/merchant/outflows/reversed/approve', { pin })
  expect(last.json().error?.code).toBe('REFUND_IMPOSSIBLE')
  expect(await walletOf(ada, 'USD')).toBe(before)
})
