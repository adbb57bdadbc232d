import { erc20Abi, getAddress, type Hex, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../local/chain-world.ts'
import { addMember, addPerson, pin, type Visitor } from '../../local/visitor.ts'
import { createPool } from '../base/db.ts'
import { withUser } from '../base/environment.ts'
import { saveRule } from '../charge/store.ts'
import { setManualRate } from '../currency/rates.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { findMerchantId } from '../merchant/store.ts'
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

test('a coin is seen before it is final, and then in the wallet, once and to the unit', async () => {
  const ada = await addPerson(world, 'test')
  const { data } = (await ada.get('/wallet/coins')).as<{ data: { coins: object[] } }>()
  const network = { networkId: world.networkId, network: 'Local network', abbreviation: 'LOCAL' }
  expect(data.coins).toContainEqual({ ...network, currency: 'ETH', name: 'Ether', symbol: 'Ξ' })
  const asked = await bring(ada)
  expect(asked).toMatchObject({ currency: 'ETH', status: 'waiting', seen: asked.final, chainId: '31337' })
  expect(asked.address).toBe(getAddress(asked.address))
  const [toDeposit, charge] = [parseEther(asked.toDeposit), parseEther(asked.charge)]
  expect(toDeposit - charge).toBe(parseEther(asked.amount))
  // One and a half per cent, and gas.
  expect(charge > parseEther('0.00015')).toBe(true)
  await payCoin(asked.address, toDeposit)
  await world.work()
  expect(await look(ada, asked)).toEqual({ ...asked, seen: asked.toDeposit })
  expect(await balancesOf(ada)).toEqual({})
  await world.settle()
  await world.settle()
  const done = { ...asked, seen: asked.toDeposit, final: asked.toDeposit, status: 'done' }
  expect(await look(ada, asked)).toEqual(done)
  expect(await balancesOf(ada)).toEqual({ ETH: asked.amount })
  expect(await movesOf(ada)).toMatchObject([
    { kind: 'deposited', amount: asked.amount, currency: 'ETH', withName: 'Local network' },
  ])
  await verify()
})

test('a token of six decimals, paid in two parts, is in the wallet when both are there', async () => {
  const ada = await addPerson(world, 'test')
  const asked = await bring(ada, { currency: 'USDT', amount: '25' })
  const units = parseUnits(asked.toDeposit, 6)
  for (const part of [units - 1n, 1n]) {
    expect(await balancesOf(ada)).toEqual({})
    const call = { abi: erc20Abi, functionName: 'transfer', args: [asked.address, part] } as const
    await world.client.writeContract({ address: world.token, ...call })
    await world.settle()
  }
  expect(await balancesOf(ada)).toEqual({ USDT: asked.amount })
  expect(await look(ada, asked)).toMatchObject({ status: 'done', amount: asked.amount, final: asked.toDeposit })
})

test('404: nobody else sees a person’s deposit, nor does a statement that forgets to ask whose it is', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  const asked = await bring(ada)
  expect((await ben.get(`/wallet/deposits/${asked.id}`)).json().error?.code).toBe('DEPOSIT_NOT_FOUND')
  expect((await ben.get('/wallet/deposits')).json().data).toEqual({ deposits: [] })
  expect((await ada.get('/wallet/deposits')).json().data).toEqual({ deposits: [asked] })
  const seenBy = async (userId: string) =>
    (await withUser(world.pool, userId, (tx) => tx.query<{ id: string }>('select id from deposits'))).rows
  expect(await seenBy(ben.person.id)).toEqual([])
  expect(await seenBy(ada.person.id)).toEqual([{ id: asked.id }])
})

test('429: a person has no more than five open, a repeat gets what its first did, and both hold at once', async () => {
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
  expect(many.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
})

test('a case of a person’s deposit that the platform’s staff credits goes to his wallet', async () => {
  const ada = await addPerson(world, 'test')
  const asked = await bring(ada)
  await payCoin(asked.address, parseEther(asked.toDeposit) + 5n)
  await world.settle()
  const house = { merchantId: await findMerchantId(world.pool, 'PLATFORM'), code: 'PLATFORM' }
  const staff = await addMember(world, house, 'accountant')
  const { cases } = (await staff.get('/merchant-integrations-server/deposit-cases')).as<{
    data: { cases: { id: string; kind: string }[] }
  }>().data
  expect(cases).toMatchObject([{ kind: 'over' }])
  const credited = await staff.post(`/merchant-integrations-server/deposit-cases/${cases[0]?.id}/credit`)
  expect(credited.status).toBe(200)
  expect(parseEther((await balancesOf(ada)).ETH ?? '')).toBe(parseEther(asked.amount) + 5n)
  expect(await movesOf(ada)).toMatchObject([{ kind: 'deposited', withName: 'Local network' }, { kind: 'deposited' }])
  await verify()
})

// The last: a reorganisation sets anvil's clock back.
test('what is undone after it was final leaves the wallet again, or is the platform’s loss', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  const [kept, spent] = [await bring(ada), await bring(ben, { amount: '0.02' })]
  for (const { address, toDeposit } of [kept, spent]) await payCoin(address, parseEther(toDeposit))
  await world.settle()
  const send = (from: Person, to: string, amount: string) =>
    from.post('/wallet/send', { to, amount, currency: 'ETH', pin })
  expect((await send(ben, ada.person.email, '0.015')).status).toBe(200)
  await world.ask('anvil_reorg', 6, [])
  await world.settle(8)
  for (const [person, { id }] of [
    [ada, kept],
    [ben, spent],
  ] as const)
    expect(await look(person, { id })).toMatchObject({ status: 'undone', seen: '0.000000000000000000' })
  expect(parseEther((await balancesOf(ada)).ETH ?? '')).toBe(parseEther('0.015'))
  expect(parseEther((await balancesOf(ben)).ETH ?? '')).toBe(parseEther('0.005'))
  const [[taken], [last]] = [await movesOf(ada), await movesOf(ben)]
  expect(taken).toMatchObject({ kind: 'deposited', amount: `-${kept.amount}` })
  expect(last).toMatchObject({ kind: 'sent' })
  expect(world.logged()).toContain('a final payment was undone')
  await verify()
  // It was not he who sent it, so it is not of what he may send in a day.
  await saveDailyLimit(world.pool, { mode: 'test', currency: 'ETH', level: 1, daily: parseEther('0.01') })
  expect((await send(ada, ben.person.email, '0.01')).status).toBe(200)
})
