import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { listen } from '../../../local/parts/listen.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson } from '../../../local/test/visitor.ts'
import { createKey, revokeKey } from '../../identity/merchant/keys.ts'

let world: ApiWorld
let baseUrl: string
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  baseUrl = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => world.close())

const cookieOf = ({ cookies }: { cookies: Map<string, string> }): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Reads a stream to its end. Events that arrive before are dropped. */
async function untilEnd(stream: Awaited<ReturnType<typeof listen>>): Promise<void> {
  while ((await stream.next()) !== undefined) continue
}

test('the stream of a revoked key ends, and that of another key continues', async () => {
  const made = await createKey(world.tools, world.ours, { kind: 'secret', name: 'leaked' })
  const open = (secretKey: string) =>
    listen(`${baseUrl}/events/stream`, {
      headers: { authorization: `Bearer ${world.ours.publicKey}`, 'x-api-private-key': secretKey },
    })
  await settleEvents(world.pool)
  const [leaked, own] = [await open(made.key), await open(world.ours.secretKey)]
  expect([leaked.status, own.status]).toEqual([200, 200])
  await revokeKey(world.tools, world.ours, made.id)
  await untilEnd(leaked)
  await world.voucher(1)
  const events = [(await own.next())?.event, (await own.next())?.event]
  expect(events).toEqual(['merchant.key_revoked', 'voucher.issued'])
  own.close()
})

test('streams end when their session ends, their role is removed or their user is deactivated', async () => {
  const members = [await addMember(world, world.ours, 'accountant'), await addMember(world, world.ours, 'accountant')]
  const wallet = await addPerson(world, 'test')
  const [ended, lowered] = members
  const ofStaff = { 'scrip-realm': 'staff', 'scrip-merchant': 'OURS', 'scrip-mode': 'test' }
  const streams = [
    ...(await Promise.all(
      members.map((one) => listen(`${baseUrl}/merchant/stream`, { headers: { ...ofStaff, cookie: cookieOf(one) } })),
    )),
    await listen(`${baseUrl}/wallet/stream`, { headers: { 'scrip-realm': 'test', cookie: cookieOf(wallet) } }),
  ]
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  await ended?.post('/auth/staff/sign-out')
  await world.pool.query(`update merchant_members set role = 'cashier' where user_id = $1`, [lowered?.person.id])
  await world.pool.query('update users set is_active = false where id = $1', [wallet.person.id])
  await Promise.all(streams.map(untilEnd))
})
