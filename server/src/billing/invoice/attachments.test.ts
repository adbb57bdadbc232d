// Files that strangers attach to invoices: what is stored, who downloads it, and how much of it there can be.
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, type Visitor } from '../../../local/test/visitor.ts'
import { systemClock } from '../../base/clock.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'

let world: ApiWorld
let owner: Pool
let asServer: Pool
let passedMs = 0
const clock = (): Date => new Date(systemClock().getTime() + passedMs)
beforeAll(async () => {
  const database = await createTestDatabase()
  owner = createPool(database.ownerUrl, 1)
  asServer = createPool(database.url, 1)
  world = await createApiWorld(database.url, clock)
  const body = { currencies: ['USD'] }
  for (const as of [world.ours, world.theirs]) await world.call('POST', `${server}/invoice-currencies`, { as, body })
})
afterAll(async () => {
  await owner.end()
  await asServer.end()
  await world.close()
})

const server = '/merchant-integrations-server'
const megabyte = 1024 * 1024
const pdf = (text = 'work', size = 0): Buffer => {
  const content = Buffer.from(`%PDF-1.7\n${text}\n%%EOF\n`)
  return size === 0 ? content : Buffer.concat([content, Buffer.alloc(size - content.length, 0x20)])
}
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex')
const jpeg = Buffer.from('ffd8ffe000104a46494600010100', 'hex')

type File = { readonly id: string; readonly name: string; readonly type: string; readonly size: number }
let networks = 0
/** From different addresses: one network may upload 60 files per day. */
const newNetwork = () => `10.2.${networks >> 8}.${networks++ & 255}`
const upload = (content: Buffer | string, name = 'work.pdf', as = world.ours, address = newNetwork()) => {
  const base64 = typeof content === 'string' ? content : content.toString('base64')
  const body = { merchantCode: as.code, mode: 'test', name, content: base64 }
  return world.call<File>('POST', '/invoice/attachments', { keys: 'none', body, address })
}
const uploaded = async (content: Buffer, name?: string, as?: WorldMerchant): Promise<File> => {
  const reply = await upload(content, name, as)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.data
}
const submit = (attachments: readonly string[], more: object = {}, as = world.ours) => {
  const invoice = {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode: as.code },
    ...{ email: `a${networks}@example.com`, fullName: 'Ivy Submitter', attachments },
    ...{ invoiceItems: [{ description: 'Work', quantity: 1, unitPrice: 5 }], ...more },
  }
  const body = { mode: 'test', invoice }
  return world.call<{ token: string }>('POST', '/invoice/submit', { keys: 'none', body, address: newNetwork() })
}
type Listed = { readonly id: string; readonly attachments: readonly File[] }
const newest = async (as = world.ours): Promise<Listed> => {
  const { data } = await world.call<{ invoices: Listed[] }>('GET', `${server}/fetch-invoice?limit=1`, { as })
  if (data.invoices[0] === undefined) throw new Error('There is no invoice.')
  return data.invoices[0]
}
const pathOf = (invoice: string, file: string) => `/merchant/invoices/${invoice}/attachments/${file}`
/** The bytes of a download: the helpers of other tests read text. */
const download = async ({ cookies }: Pick<Visitor, 'cookies'>, path: string, as = world.ours) => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { 'scrip-realm': 'staff', 'scrip-merchant': as.code, 'scrip-mode': 'test', cookie }
  return world.app.inject({ method: 'GET', url: path, headers })
}

test('a file goes from the form to the staff, byte for byte, and is only saved, never shown', async () => {
  const files = [
    await uploaded(pdf('scan', 2 * megabyte), 'Rechnung für Ødegård’s (1).pdf'),
    await uploaded(png, 'till.png'),
    await uploaded(jpeg, 'photo.JPG'),
  ]
  expect(files).toMatchObject([
    { name: 'Rechnung für Ødegård’s (1).pdf', type: 'application/pdf', size: 2 * megabyte },
    { name: 'till.png', type: 'image/png', size: png.length },
    { name: 'photo.JPG', type: 'image/jpeg', size: jpeg.length },
  ])
  const { token } = (await submit(files.map(({ id }) => id))).data
  const { id, attachments } = await newest()
  expect(attachments).toEqual(files)

  for (const role of ['owner', 'accountant']) {
    const member = await addMember(world, world.ours, role)
    const reply = await download(member, pathOf(id, files[0]?.id ?? ''))
    expect([role, reply.statusCode]).toEqual([role, 200])
    expect(reply.rawPayload.equals(pdf('scan', 2 * megabyte))).toBe(true)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename*=UTF-8''Rechnung%20f%C3%BCr%20%C3%98deg%C3%A5rd%E2%80%99s%20%281%29.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
  }
  // The sender sees names and sizes, and no id.
  const state = await world.call('POST', '/invoice/state', { keys: 'none', body: { token } })
  expect(state.data).toMatchObject({ attachments: files.map(({ name, size }) => ({ name, size })) })
  for (const file of files) expect(state.text).not.toContain(file.id)
})

test('an invoice lists its files in the order of the sender, in whichever order they arrived', async () => {
  const arrived = [
    await uploaded(pdf('1'), '1.pdf'),
    await uploaded(pdf('2'), '2.pdf'),
    await uploaded(pdf('3'), '3.pdf'),
  ]
  const sent = [2, 0, 1].map((n) => arrived[n]?.id ?? '')
  await submit(sent)
  expect((await newest()).attachments.map(({ id }) => id)).toEqual(sent)
})

test('nobody else downloads a file: other roles, other merchants, keys, and the sender with the private link', async () => {
  const file = await uploaded(pdf('secret'))
  const { token } = (await submit([file.id])).data
  const { id } = await newest()
  const path = pathOf(id, file.id)
  for (const role of ['cashier', 'developer'])
    expect((await download(await addMember(world, world.ours, role), path)).statusCode).toBe(403)
  const stranger = await addMember(world, world.theirs, 'owner')
  expect((await download(stranger, path)).statusCode).toBe(404)
  const asTheirs = await download(stranger, path, world.theirs)
  expect([asTheirs.statusCode, asTheirs.json<{ error: { code: string } }>().error.code]).toEqual([
    404,
    'INVOICE_ATTACHMENT_NOT_FOUND',
  ])
  const toOurs = { 'scrip-realm': 'staff', 'scrip-merchant': 'OURS', 'scrip-mode': 'test' }
  for (const as of [world.ours, world.theirs])
    for (const keys of ['both', 'public', 'none'] as const)
      expect((await world.call('GET', path, { as, keys, headers: toOurs })).status).toBe(401)
  for (const sent of [{ authorization: `Bearer ${token}` }, { cookie: `session=${token}` }, { token }])
    expect((await world.call('GET', path, { keys: 'none', headers: { ...toOurs, ...sent } })).status).toBe(401)
  expect((await world.call('GET', `${path}?token=${token}`, { keys: 'none', headers: toOurs })).status).toBe(401)
  // Nor does a member with the file of another invoice.
  await submit([])
  const accountant = await addMember(world, world.ours, 'accountant')
  expect((await download(accountant, pathOf((await newest()).id, file.id))).statusCode).toBe(404)
  expect((await download(accountant, path)).statusCode).toBe(200)
})

test('422: more than 2 MB, another kind of file whatever its name, and text that is not base64', async () => {
  const html = Buffer.from('<!doctype html><script>alert(document.cookie)</script>')
  const refused: [Buffer | string, string, string][] = [
    [pdf('large', 2 * megabyte + 1), 'large.pdf', 'INVOICE_FILE_TOO_LARGE'],
    [html, 'invoice.pdf', 'INVOICE_FILE_INVALID'],
    [Buffer.concat([Buffer.from('\n'), pdf()]), 'late.pdf', 'INVOICE_FILE_INVALID'],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'logo.png', 'INVOICE_FILE_INVALID'],
    [Buffer.from('PK\u0003\u0004'), 'invoice.pdf', 'INVOICE_FILE_INVALID'],
    [`${pdf().toString('base64')}\n`, 'invoice.pdf', 'INVOICE_FILE_INVALID'],
    [`data:application/pdf;base64,${pdf().toString('base64')}`, 'invoice.pdf', 'INVOICE_FILE_INVALID'],
    ['%PDF-1.7', 'invoice.pdf', 'INVOICE_FILE_INVALID'],
  ]
  for (const [content, name, code] of refused) {
    const { status, error } = await upload(content, name)
    expect([name, status, error?.code]).toEqual([name, 422, code])
  }
  expect((await upload(pdf('far too large', 3 * megabyte))).error?.code).toBe('BODY_TOO_LARGE')
  expect((await upload('')).status).toBe(400)
  // No other endpoint takes such bodies.
  const long = { token: 'x'.repeat(100_000) }
  expect((await world.call('POST', '/invoice/state', { keys: 'none', body: long })).error?.code).toBe('BODY_TOO_LARGE')
})

test('a file that is a PDF and a page at once is saved as a PDF, not opened as a page', async () => {
  const polyglot = pdf('<html><body><script>alert(document.cookie)</script></body></html>')
  const file = await uploaded(polyglot, '../invoice.html')
  expect(file.name).toBe('invoice.html.pdf')
  await submit([file.id])
  const accountant = await addMember(world, world.ours, 'accountant')
  const { headers, rawPayload } = await download(accountant, pathOf((await newest()).id, file.id))
  expect(rawPayload.equals(polyglot)).toBe(true)
  expect(headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename*=UTF-8''invoice.html.pdf`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  })
})

test('an invoice takes three files at most, each uploaded for this merchant and used once', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(async (n) => (await uploaded(pdf(`file ${n}`))).id))
  const [first = '', second = ''] = ids
  expect((await submit(ids)).status).toBe(400)
  expect((await submit([first, first])).status).toBe(400)
  const foreign = (await uploaded(pdf(), 'theirs.pdf', world.theirs)).id
  const before = (await newest()).id
  const gone = [422, 'INVOICE_FILE_GONE']
  for (const wrong of [[foreign], [world.newId()], [first, foreign]]) {
    const { status, error } = await submit(wrong)
    expect([status, error?.code]).toEqual(gone)
  }
  // A refused invoice takes no file with it.
  expect((await newest()).id).toBe(before)
  expect((await submit([first.toUpperCase(), second])).status).toBe(200)
  const { status, error } = await submit([second])
  expect([status, error?.code]).toEqual(gone)
  // One of two concurrent invoices gets the file.
  const last = ids.slice(2, 3)
  const race = await Promise.all([submit(last), submit(last), submit(last)])
  expect(race.map((reply) => reply.status).toSorted()).toEqual([200, 422, 422])
})

test('422: with a file that does not exist, the response does not say whether a number is taken', async () => {
  const sender = { email: 'taken@example.com', senderNumber: 'INV 7' }
  expect((await submit([], sender)).status).toBe(200)
  expect((await submit([], sender)).error?.code).toBe('INVOICE_NUMBER_TAKEN')
  for (const senderNumber of ['INV 7', 'INV 8'])
    expect((await submit([world.newId()], { ...sender, senderNumber })).error?.code).toBe('INVOICE_FILE_GONE')
})

test('a retry of a submission with files returns the first invoice', async () => {
  const { id } = await uploaded(pdf())
  const invoice = {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode: 'OURS' },
    ...{ email: 'retry@example.com', fullName: 'Ivy', attachments: [id] },
    invoiceItems: [{ description: 'Work', quantity: 1, unitPrice: 5 }],
  }
  const send = () =>
    world.call('POST', '/invoice/submit', {
      ...{ keys: 'none', body: { mode: 'test', invoice }, headers: { 'idempotency-key': 'with-a-file' } },
    })
  expect((await send()).status).toBe(200)
  const first = (await newest()).id
  expect((await send()).status).toBe(200)
  expect((await newest()).id).toBe(first)
})

test('429: a network uploads 20 files a day to a merchant, 60 to all, and 3 at once, before their bodies are read', async () => {
  const address = newNetwork()
  const sendTo = async (merchant: typeof world.ours, count: number): Promise<number[]> => {
    const statuses: number[] = []
    for (let i = 0; i < count; i++) statuses.push((await upload('x', 'x.pdf', merchant, address)).status)
    return statuses
  }
  expect(await sendTo(world.ours, 21)).toEqual([...Array<number>(20).fill(422), 429])
  expect(await sendTo(world.theirs, 20)).toEqual(Array<number>(20).fill(422))
  const nobody = { ...world.ours, code: 'NOBODY' }
  expect(await sendTo(nobody, 20)).toEqual([...Array<number>(19).fill(404), 429])

  const slow = newNetwork()
  const bodies = Array.from({ length: 4 }, () => new PassThrough())
  const headers = { 'content-type': 'application/json' }
  const open = (payload: PassThrough) =>
    world.app.inject({ method: 'POST', url: '/invoice/attachments', headers, payload, remoteAddress: slow })
  const replies = bodies.map(open)
  // The fourth is refused while the others still wait for their bodies.
  const refused = await Promise.race(replies)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5'])
  for (const body of bodies) body.end('{}')
  const others = (await Promise.all(replies)).map(({ statusCode }) => statusCode)
  expect(others.toSorted()).toEqual([400, 400, 400, 429])
  expect((await upload(pdf(), 'after.pdf', world.ours, slow)).status).toBe(200)
})

test('409: a merchant is sent 100 MB of files a day, and 500 MB that wait for a decision', async () => {
  const environmentId = world.theirs.environmentId
  const day = Math.floor(clock().getTime() / 86_400_000)
  const setToday = (bytes: number) =>
    owner.query(
      `insert into invoice_upload_days values ($1, $2, $3)
        on conflict (environment_id, day) do update set bytes = excluded.bytes`,
      [environmentId, day, bytes],
    )
  restoreAfterTest(() => setToday(0))
  const send = async () => {
    const { status, error } = await upload(pdf(), 'work.pdf', world.theirs)
    return [status, error?.code]
  }
  const full = [409, 'INVOICE_FILES_TOO_MANY']
  await setToday(100 * megabyte - pdf().length)
  expect(await send()).toEqual([200, undefined])
  expect(await send()).toEqual(full)
  // Another merchant has its own limit.
  expect((await upload(pdf())).status).toBe(200)
  await setToday(0)
  expect(await send()).toEqual([200, undefined])

  const { id } = await uploaded(pdf('waiting'), 'waiting.pdf', world.theirs)
  await submit([id], {}, world.theirs)
  const invoice = await newest(world.theirs)
  await owner.query(
    `insert into invoice_attachments select environment_id, gen_random_uuid(), invoice_id, name, kind, $2, content, created_at
      from invoice_attachments, generate_series(1, 250) where id = $1`,
    [id, 2 * megabyte - 100],
  )
  // 25,000 bytes are left, less what this test uploaded.
  const large = await upload(pdf('large', 30_000), 'large.pdf', world.theirs)
  expect([large.status, large.error?.code]).toEqual(full)
  expect(await send()).toEqual([200, undefined])
  await world.call('POST', `${server}/reject-invoice`, { body: { invoiceID: invoice.id }, as: world.theirs })
  expect((await upload(pdf('large', 30_000), 'large.pdf', world.theirs)).status).toBe(200)
})

test('a merchant that accepts no invoices, or does not exist, is sent no files', async () => {
  const body = { mode: 'live', name: 'x.pdf', content: pdf().toString('base64') }
  const send = async (merchantCode: string) =>
    (await world.call('POST', '/invoice/attachments', { keys: 'none', body: { ...body, merchantCode } })).error?.code
  expect(await send('OURS')).toBe('INVOICES_REFUSED')
  expect(await send('NOBODY')).toBe('MERCHANT_NOT_FOUND')
})

test('the worker deletes files whose invoice was not sent within a day, and keeps the others', async () => {
  const [kept, unsent] = [await uploaded(pdf('kept')), await uploaded(pdf('unsent'))]
  await submit([kept.id])
  const invoice = await newest()
  const stored = async (id: string) =>
    (await owner.query('select from invoice_attachments where id = $1', [id])).rowCount === 1
  restoreAfterTest(() => Promise.resolve((passedMs = 0)))
  passedMs = 86_000_000
  await world.work()
  expect(await stored(unsent.id)).toBe(true)
  passedMs = 87_000_000
  await world.work()
  expect([await stored(kept.id), await stored(unsent.id)]).toEqual([true, false])
  expect((await submit([unsent.id])).error?.code).toBe('INVOICE_FILE_GONE')
  expect((await newest()).id).toBe(invoice.id)
})

test('the server’s database role cannot change, move or delete a file that was sent', async () => {
  const { id } = await uploaded(pdf('final'))
  await submit([id])
  const { environmentId } = world.ours
  const attempt = (statement: string) =>
    withEnvironment(asServer, environmentId, async (tx) => (await tx.query(statement, [id])).rowCount)
  expect(await attempt('update invoice_attachments set invoice_id = null where id = $1')).toBe(0)
  expect(await attempt('update invoice_attachments set invoice_id = gen_random_uuid() where id = $1')).toBe(0)
  for (const denied of [
    `update invoice_attachments set content = '' where id = $1`,
    `update invoice_attachments set name = 'other.pdf' where id = $1`,
    'delete from invoice_attachments where id = $1',
    `insert into invoice_attachments select environment_id, gen_random_uuid(), invoice_id, name, kind, size, content, created_at
      from invoice_attachments where id = $1`,
  ])
    await expect(attempt(denied), denied).rejects.toMatchObject({ code: '42501' })
})

test('the content of a file is in no log, event or error', async () => {
  const marker = 'CONTENT-OF-A-STRANGER'
  const file = await uploaded(pdf(marker), 'marked.pdf')
  await submit([file.id])
  const broken = await upload(`${pdf(marker).toString('base64')}!`, 'marked.pdf')
  const malformed = await world.call('POST', '/invoice/attachments', { keys: 'none', body: `{"content": "${marker}` })
  await settleEvents(world.pool)
  const { text: events } = await world.call('GET', '/events?limit=100')
  const base64 = pdf(marker).toString('base64')
  for (const text of [world.logged(), events, broken.text, malformed.text])
    for (const part of [marker, base64.slice(20, 40)]) expect(text).not.toContain(part)
  expect(malformed.status).toBe(400)
})
