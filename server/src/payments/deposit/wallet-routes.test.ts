import { erc20Abi, getAddress, type Hex, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { addMember, addPerson, pin, type Visitor } from '../../../local/test/visitor.ts'
import { createPool } from '../../base/db.ts'
import { withUser } from '../../base/environment.ts'
import { saveRule } from '../../catalogue/charge/store.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { findMerchantId } from '../../identity/merchant/store.ts'
import { saveDailyLimit } from '../wallet/store.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
  await saveRule(world.pool, 'test', 'ETH', { fixed: 0n, sharePpm: 15_000n })
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

type Person = Pick<Visitor, 'get' | 'post'>
type Shown = Record<'id' | 'currency' | 'amount' | 'toDeposit' | 'charge' | 'seen' | 'final' | 'status', string> & {
  address: Hex
}
const ask = (person: Person, more: object = {}, headers: Record<string, string> = {}) =>
  person.post('/wallet/deposits', { networkId: world.networkId, currency: 'ETH', amount: '0.01', ...more }, headers)
const bring = async (person: Person, more: object = {}): Promise<Shown> => {
  const reply = await ask(person, more)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.as<{ data: Shown }>().data
}
const look = async (person: Person, { id }: Pick<Shown, 'id'>): Promise<Shown> =>
  (await person.get(`/wallet/deposits/${id}`)).as<{ data: Shown }>().data
const payCoin = (to: Hex, value: bigint): Promise<Hex> => world.client.sendTransaction({ to, value })
const balancesOf = async (person: Person): Promise<Record<string, string>> => {
  const { data } = (await person.get('/wallet')).as<{ data: { balances: { currency: string; available: string }[] } }>()
  return Object.fromEntries(data.balances.map(({ currency, available }) => [currency, available]))
}
const movesOf = async (person: Person) =>
  (await person.get('/wallet/activity')).as<{ data: { moves: object[] } }>().data.moves
const verify = async (): Promise<void> => {
  const pool = createPool(world.ownerUrl, 1)
  expect(await verifyLedger(pool)).toEqual([])
  await pool.end()
}

test('an error names the field as the wallet sent it', async () => {
  const ada = await addPerson(world, 'test')
  const paramOf = async (more: object) => (await ask(ada, more)).as<{ error: { code: string; param: string } }>().error
  expect(await paramOf({ currency: 'NOPE' })).toMatchObject({ code: 'CURRENCY_UNKNOWN', param: 'currency' })
  expect(await paramOf({ currency: 'USD' })).toMatchObject({ code: 'DEPOSIT_CURRENCY_REFUSED', param: 'currency' })
  expect(await paramOf({ networkId: world.newId() })).toMatchObject({
    code: 'DEPOSIT_NETWORK_UNKNOWN',
    param: 'networkId',
  })
})

test('a coin deposit is shown as seen before it is final, then credited once to the wallet, exactly', async () => {
  const ada = await addPerson(world, 'test')
  const { data } = (await ada.get('/wallet/coins')).as<{ data: { coins: object[] } }>()
  const network = { networkId: world.networkId, network: 'Local network', abbreviation: 'LOCAL' }
  expect(data.coins).toContainEqual({ ...network, currency: 'ETH', name: 'Ether', symbol: 'Ξ' })
  const requested = await bring(ada)
  expect(requested).toMatchObject({ currency: 'ETH', status: 'waiting', seen: requested.final, chainId: '31337' })
  expect(requested.address).toBe(getAddress(requested.address))
  const [toDeposit, charge] = [parseEther(requested.toDeposit), parseEther(requested.charge)]
  expect(toDeposit - charge).toBe(parseEther(requested.amount))
  // 1.5 % and gas.
  expect(charge > parseEther('0.00015')).toBe(true)
  await payCoin(requested.address, toDeposit)
  await world.work()
  expect(await look(ada, requested)).toEqual({ ...requested, seen: requested.toDeposit })
  expect(await balancesOf(ada)).toEqual({})
  await world.settle()
  await world.settle()
  const done = { ...requested, seen: requested.toDeposit, final: requested.toDeposit, status: 'done' }
  expect(await look(ada, requested)).toEqual(done)
  expect(await balancesOf(ada)).toEqual({ ETH: requested.amount })
  expect(await movesOf(ada)).toMatchObject([
    { kind: 'deposited', amount: requested.amount, currency: 'ETH', withName: 'Local network' },
  ])
  await verify()
})

test('a deposit of a token with six decimals in two payments is credited to the wallet after both', async () => {
  const ada = await addPerson(world, 'test')
  const requested = await bring(ada, { currency: 'USDT', amount: '25' })
  const units = parseUnits(requested.toDeposit, 6)
  for (const part of [units / 2n, units - units / 2n]) {
    expect(await balancesOf(ada)).toEqual({})
    const call = { abi: erc20Abi, functionName: 'transfer', args: [requested.address, part] } as const
    await world.client.writeContract({ address: world.token, ...call })
    await world.settle()
  }
  expect(await balancesOf(ada)).toEqual({ USDT: requested.amount })
  expect(await look(ada, requested)).toMatchObject({
    status: 'done',
    amount: requested.amount,
    final: requested.toDeposit,
  })
})

test('another user gets 404 for a deposit, and row-level security hides it from a query without a filter', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  const requested = await bring(ada)
  expect((await ben.get(`/wallet/deposits/${requested.id}`)).json().error?.code).toBe('DEPOSIT_NOT_FOUND')
  expect((await ben.get('/wallet/deposits')).json().data).toEqual({ deposits: [] })
  expect((await ada.get('/wallet/deposits')).json().data).toEqual({ deposits: [requested] })
  const seenBy = async (userId: string) =>
    (await withUser(world.pool, userId, (tx) => tx.query<{ id: string }>('select id from deposits'))).rows
  expect(await seenBy(ben.person.id)).toEqual([])
  expect(await seenBy(ada.person.id)).toEqual([{ id: requested.id }])
})

test('a user has at most five open deposits, also with concurrent requests, and a retry returns the first', async () => {
  const ada = await addPerson(world, 'test')
  for (let i = 0; i < 4; i++) await bring(ada)
  const once = { 'idempotency-key': 'fifth' }
  const replies = await Promise.all(Array.from({ length: 8 }, () => ask(ada, {}, once)))
  expect(new Set(replies.map((reply) => reply.json().data.id)).size).toBe(1)
  expect((await ask(ada)).json().error?.code).toBe('DEPOSITS_TOO_MANY')
  const again = await ask(ada, {}, once)
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect((await ask(ada, { amount: '0.02' }, once)).json().error?.code).toBe('REFERENCE_TAKEN')
  const paid = again.as<{ data: Shown }>().data
  await payCoin(paid.address, parseEther(paid.toDeposit))
  await world.settle()
  expect((await ask(ada)).status).toBe(200)
  const ben = await addPerson(world, 'test')
  const many = await Promise.all(Array.from({ length: 8 }, () => ask(ben)))
  expect(many.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 409, 409, 409])
})

test('an unmatched deposit of a user that platform staff credit goes to the wallet of that user', async () => {
  const ada = await addPerson(world, 'test')
  const requested = await bring(ada)
  await payCoin(requested.address, parseEther(requested.toDeposit) + 5n)
  await world.settle()
  const platformMerchant = { merchantId: await findMerchantId(world.pool, 'PLATFORM'), code: 'PLATFORM' }
  const staff = await addMember(world, platformMerchant, 'accountant')
  const { cases } = (await staff.get('/merchant-integrations-server/deposit-cases')).as<{
    data: { cases: { id: string; kind: string }[] }
  }>().data
  expect(cases).toMatchObject([{ kind: 'over' }])
  const credited = await staff.post(`/merchant-integrations-server/deposit-cases/${cases[0]?.id}/credit`)
  expect(credited.status).toBe(200)
  expect(parseEther((await balancesOf(ada)).ETH ?? '')).toBe(parseEther(requested.amount) + 5n)
  expect(await movesOf(ada)).toMatchObject([{ kind: 'deposited', withName: 'Local network' }, { kind: 'deposited' }])
  await verify()
})

// Keep this test last: a reorganisation sets anvil's clock back.
test('a final deposit that is undone is taken from the wallet, or is the platform’s loss', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  const [unspent, spent] = [await bring(ada), await bring(ben, { amount: '0.02' })]
  for (const { address, toDeposit } of [unspent, spent]) await payCoin(address, parseEther(toDeposit))
  await world.settle()
  const send = (from: Person, to: string, amount: string) =>
    from.post('/wallet/send', { to, amount, currency: 'ETH', pin })
  expect((await send(ben, ada.person.email, '0.015')).status).toBe(200)
  await world.ask('anvil_reorg', 6, [])
  await world.settle(8)
  for (const [person, { id }] of [
    [ada, unspent],
    [ben, spent],
  ] as const)
    expect(await look(person, { id })).toMatchObject({ status: 'undone', seen: '0.000000000000000000' })
  expect(parseEther((await balancesOf(ada)).ETH ?? '')).toBe(parseEther('0.015'))
  expect(parseEther((await balancesOf(ben)).ETH ?? '')).toBe(parseEther('0.005'))
  const [[taken], [last]] = [await movesOf(ada), await movesOf(ben)]
  expect(taken).toMatchObject({ kind: 'deposited', amount: `-${unspent.amount}` })
  expect(last).toMatchObject({ kind: 'sent' })
  expect(world.logged()).toContain('a final payment was undone')
  await verify()
  // A reversal does not count towards the daily limit of the user.
  await saveDailyLimit(world.pool, { mode: 'test', currency: 'ETH', level: 1, daily: parseEther('0.01') })
  expect((await send(ada, ben.person.email, '0.01')).status).toBe(200)
})
