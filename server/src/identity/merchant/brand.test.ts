// The brand of a shop: who changes it, what is refused, and where customers see it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import sharp from 'sharp'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { bomb, picture, svg, withChunk } from '../../../local/test/images.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson } from '../../../local/test/visitor.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { WireShop } from './wire.ts'

const SK = '/merchant-integrations-server'
const url = `${SK}/brand`
const logo = `${url}/logo`
const full = { accent: '#A3211B', address: '1 High Street\nLagos', taxNumber: 'NG 123' }
const none = { accent: '', address: '', taxNumber: '' }

let world: ApiWorld
let owner: Pool
/** As the server's role. */
let server: Pool
beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url)
  owner = createPool(database.ownerUrl, 2)
  server = createPool(database.url, 2)
  await world.fund(1_000)
})
afterAll(async () => {
  await owner.end()
  await server.end()
  await world.close()
})

const save = (brand: object, as?: WorldMerchant) => world.post<WireShop>(url, brand, as)
const upload = (image: Buffer, as?: WorldMerchant) =>
  world.post<WireShop>(logo, { image: image.toString('base64') }, as)
const read = async (as = world.ours): Promise<WireShop> => (await world.call<WireShop>('GET', url, { as })).data
const fetchLogo = (path: string) => world.app.inject({ method: 'GET', url: path })
const remove = (as = world.ours) => world.call<WireShop>('DELETE', logo, { as })

describe('the brand', () => {
  test('is empty at first, and holds what was saved, tidied', async () => {
    expect(await read()).toEqual({ name: 'OURS', logoUrl: '', ...none })
    expect((await save(full)).data).toEqual({ name: 'OURS', logoUrl: '', ...full, accent: '#a3211b' })
    const messy = { accent: '', address: ' 1 \u0007 High\tStreet \r\n\r\n\u2028 Lagos \n', taxNumber: '\r\nNG\n123 ' }
    expect((await save(messy)).data).toMatchObject({ accent: '', address: '1 High Street\nLagos', taxNumber: 'NG 123' })
    await save(none)
    expect(await read()).toEqual({ name: 'OURS', logoUrl: '', ...none })
  })

  test('400, 422: refuses a colour that is not one, and texts that are too long', async () => {
    for (const accent of ['red', 'red;}', '#fff', '#12345g', '#12345"', "'><b>"]) {
      const { status, error } = await save({ ...none, accent })
      expect([accent, status, error?.code]).toEqual([accent, 422, 'ACCENT_INVALID'])
    }
    expect((await save({ ...none, accent: '#17563a;}' })).status).toBe(400)
    expect((await save({ ...none, address: 'x'.repeat(301) })).status).toBe(400)
    expect((await save({ ...none, taxNumber: 'x'.repeat(41) })).status).toBe(400)
    expect((await save({ ...none, address: 'a\nb\nc\nd\ne\nf\ng' })).error?.code).toBe('ADDRESS_TOO_LONG')
    expect((await save({ accent: '' })).status).toBe(400)
    expect(await read()).toEqual({ name: 'OURS', logoUrl: '', ...none })
  })

  test('PostgreSQL refuses a colour that could leave a style, also from the server itself', async () => {
    const set = (column: string, value: string) =>
      owner.query(`update merchant_environments set ${column} = $1 where id = $2`, [value, world.ours.environmentId])
    await expect(set('accent', 'red;}')).rejects.toMatchObject({ code: '23514' })
    await expect(set('accent', '#a3211b\n')).rejects.toMatchObject({ code: '23514' })
    await expect(set('logo_version', '../../x')).rejects.toMatchObject({ code: '23514' })
  })

  test('of test and live mode, and of two merchants, are separate', async () => {
    await save(full)
    await save({ ...none, taxNumber: 'THEIRS' }, world.theirs)
    const live = { ...world.ours, publicKey: world.ours.livePublicKey, secretKey: world.ours.liveSecretKey }
    expect(await read(live)).toMatchObject(none)
    expect((await read()).taxNumber).toBe('NG 123')
    expect((await read(world.theirs)).taxNumber).toBe('THEIRS')
    await save(none)
    await save(none, world.theirs)
  })
})

describe('a logo', () => {
  test('is a PNG at a public address that changes with it, to be cached for ever', async () => {
    const first = (await upload(await picture({ width: 1000, height: 500 }).jpeg().toBuffer())).data.logoUrl
    expect(first).toMatch(/^\/brand\/OURS\/[0-9a-f]{32}\.png$/)
    const reply = await fetchLogo(first)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    })
    const { format, width, height } = await sharp(reply.rawPayload).metadata()
    expect([format, width, height]).toEqual(['png', 512, 256])
    const second = (await upload(await picture().png().toBuffer())).data.logoUrl
    expect(second).not.toBe(first)
    expect((await read()).logoUrl).toBe(second)
    expect((await fetchLogo(first)).statusCode).toBe(404)
    expect((await fetchLogo(second)).statusCode).toBe(200)
    expect((await remove()).data.logoUrl).toBe('')
    expect((await fetchLogo(second)).statusCode).toBe(404)
    expect((await remove()).status).toBe(200)
  })

  test('404: of another merchant, of no merchant, and of every other address', async () => {
    const { logoUrl } = (await upload(await picture().png().toBuffer())).data
    const version = logoUrl.split('/').at(-1) ?? ''
    const wrong = ['THEIRS', 'ours', 'NOBODY', '%00', '..%2fOURS', "'"].map((code) => `/brand/${code}/${version}`)
    const files = [
      '0'.repeat(32),
      `${'0'.repeat(32)}.png`,
      'logo.png',
      version.replace('.png', '.svg'),
      version.toUpperCase(),
    ]
    for (const path of [...wrong, ...files.map((file) => `/brand/OURS/${file}`), '/brand/OURS/.png'])
      expect([path, (await fetchLogo(path)).statusCode < 500 && (await fetchLogo(path)).statusCode >= 400]).toEqual([
        path,
        true,
      ])
    expect((await fetchLogo(`/brand/THEIRS/${version}`)).json()).toMatchObject({ error: { code: 'LOGO_NOT_FOUND' } })
    await remove()
  })

  test('422: other formats, animations, bombs, polyglots and broken files are refused, and the present logo stays', async () => {
    const png = await picture().png().toBuffer()
    const before = (await upload(png)).data.logoUrl
    const cases: [Buffer, string][] = [
      [svg, 'IMAGE_FORMAT_UNKNOWN'],
      [await picture().gif().toBuffer(), 'IMAGE_FORMAT_UNKNOWN'],
      [await picture().webp().toBuffer(), 'IMAGE_FORMAT_UNKNOWN'],
      [withChunk(png, 'acTL', Buffer.alloc(8)), 'IMAGE_ANIMATED'],
      [bomb({ width: 20_000, height: 20_000 }), 'IMAGE_TOO_LARGE'],
      [Buffer.concat([png, Buffer.from('PK\u0003\u0004')]), 'IMAGE_BROKEN'],
      [png.subarray(0, -20), 'IMAGE_BROKEN'],
    ]
    for (const [bytes, code] of cases) {
      const { status, error } = await upload(bytes)
      expect([status, error?.code, error?.param]).toEqual([422, code, 'image'])
    }
    const notBase64 = await world.post(logo, { image: 'data:image/png;base64,iVBORw0KGgo=' })
    expect(notBase64.error?.code).toBe('IMAGE_FORMAT_UNKNOWN')
    expect((await read()).logoUrl).toBe(before)
    await remove()
  })

  test('400: a file of more than 1 MB is refused; one of 1 MB is not refused for its size', async () => {
    const sized = (bytes: number) =>
      world.call('POST', logo, { body: { image: Buffer.alloc(bytes).toString('base64') } })
    expect((await sized(1024 * 1024)).body).toMatchObject({ error: { code: 'IMAGE_FORMAT_UNKNOWN' } })
    expect((await sized(1024 * 1024 + 1)).status).toBeGreaterThanOrEqual(400)
    expect((await sized(2 * 1024 * 1024)).body).toMatchObject({ error: { code: 'BODY_TOO_LARGE' } })
  })

  test('uploaded several times at once ends as one of them, with its version', async () => {
    const files = await Promise.all([90, 91, 92, 93].map((height) => picture({ width: 200, height }).png().toBuffer()))
    const replies = await Promise.all(files.map((file) => upload(file)))
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    for (const { status, error } of replies) if (status !== 200) expect(error?.code).toBe('IMAGE_BUSY')
    const reply = await fetchLogo((await read()).logoUrl)
    expect(reply.statusCode).toBe(200)
    await remove()
  })

  test('cannot be written for another environment, even by SQL of the server’s role', async () => {
    const image = Buffer.from('x')
    const write = (environmentId: string) =>
      withEnvironment(server, world.theirs.environmentId, (tx) =>
        tx.query(
          'insert into merchant_logos (environment_id, image, small_image) values ($1, $2, $2) returning environment_id',
          [environmentId, image],
        ),
      )
    await upload(await picture().png().toBuffer())
    await expect(write(world.ours.environmentId)).rejects.toMatchObject({ code: '42501' })
    const touched = await withEnvironment(server, world.theirs.environmentId, async (tx) => [
      (await tx.query(`update merchant_logos set image = 'x'`)).rowCount,
      (await tx.query('delete from merchant_logos')).rowCount,
    ])
    expect(touched).toEqual([0, 0])
    await remove()
  })
})

describe('access', () => {
  test('403: staff read the brand; only the owner changes it, and the audit log says who did', async () => {
    const image = (await picture().png().toBuffer()).toString('base64')
    for (const role of ['cashier', 'accountant', 'developer'] as const) {
      const member = await addMember(world, world.ours, role)
      expect((await member.get(url)).status).toBe(200)
      const refused = [
        await member.post(url, full),
        await member.post(logo, { image }),
        await member.ask('DELETE', logo),
      ]
      for (const reply of refused) expect([reply.status, reply.json().error?.code]).toEqual([403, 'ROLE_FORBIDDEN'])
    }
    expect(await read()).toMatchObject({ logoUrl: '', ...none })
    const boss = await addMember(world, world.ours, 'owner')
    expect((await boss.post(logo, { image })).status).toBe(200)
    expect((await boss.post(url, full)).status).toBe(200)
    const acts = (await boss.get('/merchant/acts?limit=20')).text
    for (const act of [`POST ${url}`, `POST ${logo}`]) expect(acts).toContain(act)
    await remove()
    await save(none)
  })

  test('403: the public key alone neither reads nor changes it', async () => {
    for (const [method, path] of [
      ['GET', url],
      ['POST', url],
      ['POST', logo],
      ['DELETE', logo],
    ] as const) {
      const reply = await world.call(method, path, { keys: 'public', ...(method === 'POST' && { body: full }) })
      expect([path, reply.status]).toEqual([path, 403])
    }
  })
})

test('customers see it: on the page of a voucher, in wallets, on payment requests and on invoices', async () => {
  await save(full)
  const { logoUrl } = (await upload(await picture().png().toBuffer())).data
  const shop = { name: 'OURS', logoUrl, ...full, accent: '#a3211b' }
  const payer = await addPerson(world, 'test')

  const issued = await world.post<{ code: string }>(`${SK}/vouchers`, {
    amount: 5,
    currency: 'USD',
    forEmail: payer.person.email,
  })
  const held = await world.app.inject({ method: 'POST', url: '/holder/voucher', payload: { code: issued.data.code } })
  expect(held.json()).toMatchObject({ data: { issuer: 'OURS', shop } })
  const vouchers = (await payer.get('/wallet/vouchers')).json().data.vouchers
  expect(vouchers).toMatchObject([{ shop }])

  const request = { amount: 1, currency: 'USD', user_identifier: payer.person.email, reference_id: 'branded' }
  await world.post('/merchant-integrations/payment-request', request)
  const open = (await payer.get('/wallet/payment-requests')).json().data.requests as { id: string }[]
  expect(open).toMatchObject([{ merchant: 'OURS', shop }])
  expect((await payer.get(`/wallet/payment-requests/${open[0]?.id ?? ''}`)).json()).toMatchObject({ data: { shop } })

  const payload = { merchantCode: 'OURS', mode: 'test' }
  const form = await world.app.inject({ method: 'POST', url: '/invoice/merchant', payload })
  const { data } = form.json<{ data: { name: string; shop: unknown } }>()
  expect(data).toMatchObject({ name: 'OURS', shop: { logoUrl: shop.logoUrl } })
  // Address and tax number are for customers.
  expect(Object.keys(data.shop as object)).toEqual(['logoUrl'])
})
