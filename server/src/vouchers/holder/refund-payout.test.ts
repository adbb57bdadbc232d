import { type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { addMember, pin } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const S = '/merchant-integrations-server'
let world: ChainWorld
/** Connects as the owner of the tables. */
let books: Pool
beforeAll(async () => {
  world = await createChainWorld()
  books = createPool(world.ownerUrl, 1)
  await setRates('2000', '0.0005')
  await world.convertFree('ETH', 'USD')
  for (let i = 0; i < 2; i++) await world.settle()
})
afterAll(async () => {
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.stop()
})

const setRates = async (toDollars: string, toCoin: string): Promise<void> => {
  await setManualRate(world.pool, 'ETH', 'USD', toDollars, world.clock)
  await setManualRate(world.pool, 'USD', 'ETH', toCoin, world.clock)
}
type Reply<Data> = { code: number; status: string; data: Data; error?: { code: string; param?: string } }
type Refunded = { link?: string; transactionId: string; amount: number; currency: string }
const merchant = async (path: string, body: object): Promise<Reply<Refunded>> =>
  (await world.post(path, body)).body as Reply<Refunded>
let visitors = 0
async function visitor<Data>(path: string, body: object): Promise<Reply<Data>> {
  const address = `10.30.${visitors++}.1`
  return (await world.call('POST', path, { keys: 'none', body, address })).body as Reply<Data>
}
type Option = { network: string; networkName: string; currency: string }
type Held = { balance: string; payoutOptions: Option[]; history: { payout: { status: string } | null }[] }
const look = async (code: string): Promise<Held> => (await visitor<Held>('/holder/voucher', { code })).data
type Quote = { quoteId: string; amount: string; arrives: string; arrivesIn: { abbreviation: string }; left: string }
const quote = (body: object) => visitor<Quote>('/holder/voucher/quote', body)
const redeem = (body: object) => visitor<{ id: string }>('/holder/voucher/redeem', body)
const codeIn = (link = ''): string => /\/v#([0-9A-Z-]+)$/.exec(link)?.[1] ?? ''

/** A completed deposit of 25 USD, and what was paid too much for it. */
async function deposit(tooMuch = '0'): Promise<string> {
  const { reference, address, toDeposit } = await world.request()
  await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) + parseEther(tooMuch) })
  await world.settle()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  return reference
}
const refundByLink = (referenceId: string, more: object = {}) =>
  merchant(`${S}/refund`, { referenceId, byLink: true, refundReferenceId: world.newId(), ...more })

let wallets = 0
const newWallet = (): Hex => `0x${(0x7ef0_0000n + BigInt(wallets++)).toString(16).padStart(40, '0')}`
const wei = (decimal: string): bigint => parseEther(decimal)

/** Redeems everything to a new address, and returns what arrived there. */
async function takeAll(code: string, option: Pick<Option, 'network' | 'currency'>): Promise<[Quote, bigint]> {
  const walletAddress = newWallet()
  const body = { code, amount: 'max', walletAddress, currency: option.currency, network: option.network }
  const { data } = await quote(body)
  expect((await redeem({ ...body, quoteId: data.quoteId })).code).toBe(200)
  for (let i = 0; i < 3; i++) await world.settle()
  return [data, await world.client.getBalance({ address: walletAddress })]
}

test('a deposit of an unknown payer is refunded by a link, and paid to the address that its holder names', async () => {
  const reference = await deposit()
  const refunded = await refundByLink(reference, { reason: 'torn' })
  expect(refunded).toMatchObject({ code: 200, data: { amount: 25, currency: 'USD' } })
  const code = codeIn(refunded.data.link)
  expect(await world.statusOf(reference)).toBe('REFUNDED')

  const held = await look(code)
  expect(held.balance).toBe('25.00')
  expect(held.payoutOptions).toContainEqual({ network: 'LOCAL', networkName: 'Local network', currency: 'ETH' })
  const [price, arrived] = await takeAll(code, { network: 'LOCAL', currency: 'ETH' })
  expect(price).toMatchObject({ left: '0.00', arrivesIn: { abbreviation: 'ETH' } })
  expect(arrived).toBe(wei(price.arrives))
  // 25 USD at 2,000 USD, less the network fee.
  expect(arrived).toBeGreaterThan(wei('0.011'))
  expect(arrived).toBeLessThan(wei('0.0125'))
  expect((await look(code)).history[0]?.payout?.status).toBe('COMPLETED')
})

test('a retry returns the same link, and a deposit is refunded once', async () => {
  const reference = await deposit()
  const first = await refundByLink(reference, { refundReferenceId: 'link-1' })
  const again = await refundByLink(reference, { refundReferenceId: 'link-1' })
  expect(again.data).toEqual(first.data)
  expect((await refundByLink(reference)).error?.code).toBe('REFUND_TOO_LARGE')
  const other = { refundReferenceId: 'link-1', payerEmail: 'payer@example.com' }
  expect((await refundByLink(reference, other)).error?.code).toBe('REFERENCE_TAKEN')
})

test('an unmatched deposit is returned by a link, in the currency that was paid', async () => {
  const reference = await deposit('0.5')
  const { data } = await world.get<{ cases: { id: string; reference: string }[] }>(`${S}/deposit-cases?limit=100`)
  const id = data.cases.find((each) => each.reference === reference)?.id ?? ''
  const returned = await merchant(`${S}/deposit-cases/${id}/return`, { byLink: true, refundReferenceId: 'case-1' })
  expect(returned).toMatchObject({ code: 200, data: { amount: 0.5, currency: 'ETH' } })
  const code = codeIn(returned.data.link)
  const [own] = (await look(code)).payoutOptions
  expect(own).toMatchObject({ network: 'LOCAL', currency: 'ETH' })
  const [price, arrived] = await takeAll(code, { network: 'LOCAL', currency: 'ETH' })
  expect(arrived).toBe(wei(price.arrives))
  expect(arrived).toBeGreaterThan(wei('0.49'))
})

test('the link is sent by email if the payer has one, and never appears in an event', async () => {
  const reference = await deposit()
  const { data } = await refundByLink(reference, { payerEmail: 'payer@example.com' })
  const { rows } = await books.query(
    `select m.recipient, m.kind from mails m join deposit_refunds r on r.voucher_id = m.about_id where r.id = $1`,
    [data.transactionId],
  )
  expect(rows).toEqual([{ recipient: 'payer@example.com', kind: 'gift' }])
  const events = (await world.call('GET', '/events?limit=100')).text
  expect(events).toContain(data.transactionId)
  expect(events).not.toContain(codeIn(data.link))
})

test('above the threshold a refund by link waits for approvals, and its voucher exists only then', async () => {
  const owner = await addMember(world, world.ours, 'owner')
  const accountant = await addMember(world, world.ours, 'accountant')
  const limits = { daily: 'none', newRecipientHours: 0, pin }
  const limit = (approvalAbove: string) => owner.post('/merchant/outflow-limits', { ...limits, approvalAbove })
  restoreAfterTest(() => limit('none'))
  await limit('0')
  const reference = await deposit()
  const body = { refundReferenceId: 'link-waits' }
  const waiting = await refundByLink(reference, body)
  expect(waiting).toMatchObject({ code: 200, status: 'PENDING' })
  expect(waiting.data.link).toBeUndefined()
  for (const staff of [owner, accountant])
    expect((await staff.post('/merchant/outflows/link-waits/approve', { pin })).status).toBe(200)
  const sent = await refundByLink(reference, body)
  expect((await look(codeIn(sent.data.link))).balance).toBe('25.00')
})

test('other offchain vouchers are not paid to an address, and a link names no second recipient', async () => {
  const code = await world.voucher(25)
  expect((await look(code)).payoutOptions).toEqual([])
  const body = { code, amount: 'max', walletAddress: newWallet(), currency: 'ETH', network: 'LOCAL' }
  expect((await quote(body)).error?.code).toBe('VOUCHER_PAYS_NO_ADDRESS')
  expect((await redeem({ ...body, quoteId: 'none' })).error?.code).toBe('VOUCHER_PAYS_NO_ADDRESS')
  const reference = await deposit()
  expect((await refundByLink(reference, { merchantCode: 'THEIRS' })).error?.code).toBe('REFUND_RECIPIENT_TWICE')
  const alone = { byLink: false, payerEmail: 'payer@example.com' }
  expect((await refundByLink(reference, alone)).error).toMatchObject({ code: 'REFUND_RECIPIENT_MISSING' })
})

test('the voucher that replaces a lost link is paid to an address too', async () => {
  const refunded = await refundByLink(await deposit())
  const code = codeIn(refunded.data.link)
  const { rows } = await books.query<{ id: string }>('select voucher_id as id from deposit_refunds where id = $1', [
    refunded.data.transactionId,
  ])
  const path = `${S}/vouchers/${rows[0]?.id}`
  const replaced = await world.post<{ code: string }>(`${path}/replace`, {})
  expect(replaced.status, replaced.text).toBe(200)
  expect(await look(replaced.data.code)).toMatchObject({ balance: '25.00' })
  const [price, arrived] = await takeAll(replaced.data.code, { network: 'LOCAL', currency: 'ETH' })
  expect(arrived).toBe(wei(price.arrives))
  expect((await quote({ code, amount: 'max', walletAddress: newWallet() })).code).not.toBe(200)
})

test('a recipient that refuses the payment after the market fell gets no more back than it is worth now', async () => {
  const code = codeIn((await refundByLink(await deposit())).data.link)
  const walletAddress = newWallet()
  const body = { code, amount: 'max', walletAddress, currency: 'ETH', network: 'LOCAL' }
  const { data } = await quote(body)
  await redeem({ ...body, quoteId: data.quoteId })
  // A contract that accepts nothing.
  await world.ask('anvil_setCode', walletAddress, '0x60006000fd')
  restoreAfterTest(() => setRates('2000', '0.0005'))
  await setRates('1600', '0.000625')
  for (let i = 0; i < 3; i++) await world.settle()
  const { balance, history } = await look(code)
  expect(history.some(({ payout }) => payout?.status === 'PROCESSING')).toBe(false)
  expect(Number(balance)).toBeGreaterThan(19)
  expect(Number(balance)).toBeLessThan(20.5)
})
