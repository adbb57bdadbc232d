import { type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { addMember } from '../../../local/test/visitor.ts'
import { createPool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const path = '/merchant-integrations-server/deposit-cases'
type Case = { id: string; reference: string; kind: string; amount: number; resolution: string }
type Detail = Case & {
  matchedReferenceId: string
  isReturnable: boolean
  deposit: Record<string, string>
  payments: { transactionHash: string; amount: string; currency: string; isCounted: boolean }[]
}

let world: ChainWorld
let accountant: Awaited<ReturnType<typeof addMember>>
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.convertFree('ETH', 'USD')
  accountant = await addMember(world, world.ours, 'accountant')
  await world.settle()
  await world.settle()
})
afterAll(async () => {
  const books = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.stop()
})

const listCases = async (query = ''): Promise<Case[]> =>
  (await world.get<{ cases: Case[] }>(`${path}?limit=100${query}`)).data.cases
/** A completed deposit with an overpayment of half a coin. */
const overpay = async (): Promise<{ found: Case; hash: Hex }> => {
  const { reference, address, toDeposit } = await world.request()
  const hash = await world.client.sendTransaction({ to: address, value: parseEther(toDeposit) + parseEther('0.5') })
  await world.settle()
  const found = (await listCases()).find((one) => one.reference === reference)
  if (found === undefined) throw new Error('The overpayment is no unmatched deposit.')
  return { found, hash }
}

test('an unmatched deposit shows its request and the payments of the network', async () => {
  const { found, hash } = await overpay()
  const { data } = await world.get<Detail>(`${path}/${found.id}`)
  expect(data).toMatchObject({ kind: 'over', amount: 0.5, currency: 'ETH', isReturnable: true, resolution: '' })
  expect(data.deposit).toMatchObject({
    requested: '25.00',
    requestedCurrency: 'USD',
    payCurrency: 'ETH',
    status: 'COMPLETED',
  })
  expect(data.payments).toMatchObject([{ transactionHash: hash, currency: 'ETH', isCounted: true }])
  expect(Number(data.payments[0]?.amount)).toBeGreaterThan(0.5)
})

test('an unmatched deposit is matched to a payment once: its amount is on the balance, and the payment stays as it is', async () => {
  const { found } = await overpay()
  const sale = await world.redeem({ voucherCode: await world.voucher(10), amount: 10, referenceId: world.newId() })
  expect(sale.status).toBe(200)
  const before = await world.balance('ETH')
  const match = (referenceId: string) => accountant.post(`${path}/${found.id}/match`, { matchReference: referenceId })
  expect((await match('no-such-order')).json().error?.code).toBe('CASE_MATCH_UNKNOWN')
  expect((await match(found.reference)).status).toBe(200)
  expect((await match(found.reference)).json().error?.code).toBe('CASE_RESOLVED')
  expect((await world.balance('ETH')) - before).toBe(0.5)
  const { data } = await world.get<Detail>(`${path}/${found.id}`)
  expect(data).toMatchObject({ resolution: 'matched', matchedReferenceId: found.reference })
  expect(await world.statusOf(found.reference)).toBe('COMPLETED')
})

test('deposits to review and resolved ones are separate lists', async () => {
  const [{ found: first }, { found: second }] = [await overpay(), await overpay()]
  expect((await accountant.post(`${path}/${first.id}/credit`, {})).status).toBe(200)
  const [open, resolved] = [await listCases('&state=open'), await listCases('&state=resolved')]
  expect(open.map(({ id }) => id)).toContain(second.id)
  expect(open.every(({ resolution }) => resolution === '')).toBe(true)
  expect(resolved.map(({ id }) => id)).toContain(first.id)
  expect(resolved.every(({ resolution }) => resolution !== '')).toBe(true)
  expect(open.length + resolved.length).toBe((await listCases()).length)
})
