// Issues onchain vouchers: one by one and in batches, in coin and in tokens. Some expire while the drill runs.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { server } from '../voucher-lifecycle/world.ts'
import { type Currency, type Voucher, type World, send, sendOrThrow } from './world.ts'

export type Amounts = { readonly single: number; readonly batches: number; readonly batchSize: number }

/** Enough for several parts with their gas. */
const values: Readonly<Record<Currency, string>> = { ETH: '0.1', USDT: '150.000001' }
const currencyOf = (i: number): Currency => (i % 2 === 0 ? 'ETH' : 'USDT')
const expiringShare = 12

export async function issue(world: World, { single, batches, batchSize }: Amounts, lifeMs: number): Promise<void> {
  const { api, merchant, vouchers } = world
  await withConnections([api], 8, async (connections) => {
    const [first] = connections
    await sendOrThrow(first, merchant.post('/sandbox/fund', { amount: 1_000, currency: 'ETH' }))
    await sendOrThrow(first, merchant.post('/sandbox/fund', { amount: 1_000_000, currency: 'USDT' }))
    for (let i = 0; i < batches; i++) vouchers.push(...(await issueBatch(world, first, i, batchSize)))
    await distribute(connections, single, async (connection, i) => {
      const currency = currencyOf(i)
      const isExpiring = i % expiringShare === 0
      const expiresAt = isExpiring ? { expiresAt: new Date(Date.now() + lifeMs).toISOString() } : {}
      const order = { amount: values[currency], currency, onchain: true, referenceId: `single-${i}`, ...expiresAt }
      const made = await sendOrThrow<{ id: string; code: string }>(
        connection,
        merchant.post(`${server}/vouchers`, order),
      )
      vouchers.push({ id: made.id, code: made.code, currency })
    })
  })
}

async function issueBatch({ merchant }: World, connection: Connection, i: number, size: number): Promise<Voucher[]> {
  const currency = currencyOf(i)
  const path = `${server}/voucher-batches`
  const order = { size, amount: values[currency], currency, onchain: true, referenceId: `batch-${i}` }
  const { id } = await sendOrThrow<{ id: string }>(connection, merchant.post(path, order))
  for (;;) {
    const { data } = await send<{ status: string }>(connection, merchant.get(`${path}/${id}`))
    if (data.status === 'ready') break
    await sleep(100)
  }
  const { body } = await connection.send(merchant.get(`${path}/${id}/vouchers.csv`))
  const rows = body.split('\r\n').slice(1, -1)
  // Vouchers are known by their codes. Their ids are read from the database when they are needed.
  return rows.map((row) => ({ id: '', code: row.split(',')[1] ?? '', currency }))
}
