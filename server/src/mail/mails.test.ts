import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../local/test/api-world.ts'
import { type Mailbox, openMailbox, type ReceivedMail } from '../../local/parts/mailbox.ts'
import { picture } from '../../local/test/images.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { createPool, type Pool } from '../base/db.ts'
import { createKey, revokeKey, rotateKey } from '../identity/merchant/keys.ts'
import { updateMerchant } from '../identity/merchant/update-merchant.ts'

const SK = '/merchant-integrations-server'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let world: ApiWorld
let owner: Pool
let mailbox: Mailbox
let now = new Date('2026-03-01T12:00:00Z')
let refusal: { status: number; text: string } | undefined
/** How the email server refuses the sender. */
let greeting: { status: number; text: string } | undefined

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  mailbox = await openMailbox(
    () => undefined,
    () => refusal,
    () => greeting,
  )
  world = await createApiWorld(url, () => now, { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip Pay <pay@scrip.example>' })
  owner = createPool(ownerUrl, 2)
  await world.fund(10_000)
})
afterAll(async () => {
  await owner.end()
  await world.close()
  await mailbox.close()
})
beforeEach(() => {
  mailbox.received.length = 0
  refusal = undefined
  greeting = undefined
})

const post = (path: string, body: object, as?: WorldMerchant) => world.post<Record<string, string>>(path, body, as)
const gift = (more: object = {}) =>
  post(`${SK}/vouchers`, { amount: 25.5, currency: 'USD', forEmail: 'ada@example.com', sendEmail: true, ...more })
/** Replaces no-break spaces, which amounts and dates contain, with plain ones. */
const plain = (text: string | undefined): string => (text ?? '').replaceAll(/[\u00a0\u202f]/g, ' ')
async function onlyMail(): Promise<ReceivedMail> {
  await world.work()
  expect(mailbox.received).toHaveLength(1)
  return mailbox.received[0] as ReceivedMail
}
const statuses = async () =>
  (
    await owner.query<{ status: string; attempts: number; sealed: Buffer | null; said: string }>(
      'select status, attempts, secret_sealed as sealed, said from mails order by id',
    )
  ).rows

describe('a gift', () => {
  test('reaches its recipient with the code and the link to its page, in text and in HTML', async () => {
    const { data } = await gift({ expiresAt: '2031-12-31' })
    const mail = await onlyMail()
    expect(mail.recipients).toEqual(['ada@example.com'])
    expect(mail.from).toMatchObject({ name: 'Scrip Pay', address: 'pay@scrip.example' })
    expect(plain(mail.subject)).toBe('OURS sent you a voucher worth $25.50')
    for (const part of [mail.text, mail.html])
      for (const said of [data.code ?? '', '$25.50', `https://pay.example/v#${data.code}`, '31 December 2031', 'TEST'])
        expect(plain(part)).toContain(said)
    // Every image is in the email itself: one from elsewhere would say who opened it.
    expect(mail.html?.match(/<img [^>]*src="[^"]*"/g)).toEqual(['<img src="cid:qr@scrip"'])
    expect(mail.attachments.map(({ contentId, mimeType }) => [contentId, mimeType])).toEqual([
      ['<qr@scrip>', 'image/png'],
    ])
  })

  test('is in the language of the recipient, or else of the shop', async () => {
    await gift({ language: 'fr' })
    expect(plain((await onlyMail()).subject)).toBe('OURS vous a envoyé un bon de 25,50 $')
    mailbox.received.length = 0
    await updateMerchant(world.pool, 'OURS', { language: 'fr' })
    await gift()
    expect((await onlyMail()).text).toContain('Montrez ce code')
    await updateMerchant(world.pool, 'OURS', { language: 'en' })
  })

  test('is sent once per reference, and not for a voucher that could not be issued', async () => {
    await gift({ referenceId: 'gift-once' })
    await gift({ referenceId: 'gift-once' })
    expect((await gift({ amount: 1_000_000 })).status).toBe(402)
    expect((await gift({ forEmail: undefined })).error?.code).toBe('RECIPIENT_MISSING')
    await onlyMail()
  })

  test('has its code stored encrypted until it is sent, then deleted', async () => {
    const { data } = await gift({ lockPin: '4821' })
    const dump = async () =>
      (await owner.query<{ line: string }>('select m::text as line from mails m')).rows.map(({ line }) => line).join()
    const code = data.code ?? ''
    expect(await dump()).not.toContain(code)
    expect((await statuses()).at(-1)?.sealed).not.toBeNull()
    const mail = await onlyMail()
    expect(mail.text).toContain(code)
    expect(mail.text).not.toContain('4821')
    expect((await statuses()).at(-1)).toMatchObject({ status: 'sent', sealed: null })
    expect(world.logged().replaceAll('-', '')).not.toContain(code.replaceAll('-', ''))
    expect(world.logged()).not.toContain('ada@example.com')
  })

  test('escapes markup in a shop’s name', async () => {
    await updateMerchant(world.pool, 'OURS', { tradingName: '<b>Bold</b> & "Sons"' })
    await gift()
    const mail = await onlyMail()
    expect(mail.html).toContain('&lt;b&gt;Bold&lt;/b&gt; &amp; &quot;Sons&quot;')
    expect(mail.html).not.toContain('<b>Bold')
    expect(mail.subject).toContain('<b>Bold</b> & "Sons"')
    await updateMerchant(world.pool, 'OURS', { tradingName: 'OURS' })
  })
})

describe('a receipt', () => {
  test('shows amount, fee, total, refunds and the time in the shop’s time zone', async () => {
    await world.charge()
    const { data } = await post(`${SK}/vouchers`, { amount: 50, currency: 'USD' })
    await post('/merchant-integrations/redeem-voucher', { voucherCode: data.code, amount: 20, referenceId: 'sale-9' })
    await post(`${SK}/refund`, { referenceId: 'sale-9', amount: 5, refundReferenceId: 'back-9' })
    await post(`${SK}/transactions/sale-9/receipt`, { email: 'ben@example.com' })
    await post(`${SK}/transactions/back-9/receipt`, { email: 'ben@example.com', language: 'fr' })
    await world.work()
    const [refund, receipt] = mailbox.received.toSorted((a, b) => (a.subject ?? '').localeCompare(b.subject ?? ''))
    expect(plain(refund?.subject)).toBe('Votre remboursement de OURS : 5,00 $')
    expect(plain(receipt?.subject)).toBe('Your receipt from OURS: $20.00')
    for (const said of ['Amount: $20.00', 'Fee: $0.40', 'Deducted from your voucher: $20.40', 'Refunded since: $5.00'])
      expect(plain(receipt?.text)).toContain(said)
    // Lagos is an hour ahead of UTC.
    expect(receipt?.text).toContain('1 March 2026 at 13:00 GMT+1')
    expect(receipt?.text).not.toContain(data.code)
  })

  test('is sent for the merchant’s own redemptions and refunds, five times at most', async () => {
    const { data } = await post(`${SK}/vouchers`, { amount: 5, currency: 'USD', referenceId: 'bought' })
    await post('/merchant-integrations/redeem-voucher', { voucherCode: data.code, amount: 1, referenceId: 'sale-10' })
    const send = (reference: string, as?: WorldMerchant) =>
      post(`${SK}/transactions/${reference}/receipt`, { email: 'eve@example.com' }, as)
    expect((await send('bought')).error?.code).toBe('RECEIPT_IMPOSSIBLE')
    expect((await send('nothing')).status).toBe(404)
    expect((await send('sale-10', world.theirs)).status).toBe(404)
    const replies = await Promise.all(Array.from({ length: 8 }, () => send('sale-10')))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(replies.filter(({ error }) => error?.code === 'RECEIPTS_TOO_MANY')).toHaveLength(3)
    await world.work()
    expect(mailbox.received).toHaveLength(5)
  })
})

describe('the brand of a shop', () => {
  const brand = `${SK}/brand`
  const address = '1 <b>High</b> Street\nLagos'
  beforeAll(async () => {
    await post(brand, { accent: '#a3211b', address, taxNumber: 'NG 123' })
    const image = (await picture({ width: 600, height: 300 }).png().toBuffer()).toString('base64')
    await post(`${brand}/logo`, { image })
  })
  afterAll(async () => {
    await post(brand, { accent: '', address: '', taxNumber: '' })
    await world.call('DELETE', `${brand}/logo`)
  })
  const imagesOf = ({ attachments }: ReceivedMail) => attachments.map(({ contentId }) => contentId)

  test('is on gifts and receipts: logo, colour, address and tax number', async () => {
    const { data } = await gift()
    const mail = await onlyMail()
    expect(imagesOf(mail)).toEqual(['<logo@scrip>', '<qr@scrip>'])
    const logo = Buffer.from(new Uint8Array(mail.attachments[0]?.content as ArrayBuffer))
    const { format, width, height } = await sharp(logo).metadata()
    expect([format, width, height]).toEqual(['png', 192, 96])
    for (const part of ['cid:logo@scrip" alt="" width="96" height="48"', 'background:#a3211b;color:#ffffff'])
      expect(mail.html).toContain(part)
    expect(mail.html).toContain('1 &lt;b&gt;High&lt;/b&gt; Street<br>Lagos<br>Tax number: NG 123')
    mailbox.received.length = 0
    await post('/merchant-integrations/redeem-voucher', { voucherCode: data.code, amount: 1, referenceId: 'sale-11' })
    await post(`${SK}/transactions/sale-11/receipt`, { email: 'ben@example.com', language: 'fr' })
    const receipt = await onlyMail()
    expect(imagesOf(receipt)).toEqual(['<logo@scrip>'])
    expect(receipt.html).toContain('N° fiscal : NG 123')
  })

  test('is not on emails of the platform, nor on those of another shop', async () => {
    await updateMerchant(world.pool, 'OURS', { contactEmail: 'owner@ours.example' })
    await createKey(world.tools, world.ours, { kind: 'secret', name: 'Till' })
    const notice = await onlyMail()
    expect([imagesOf(notice), notice.html?.includes('#a3211b')]).toEqual([[], false])
    await updateMerchant(world.pool, 'OURS', { contactEmail: '' })
    mailbox.received.length = 0
    await world.fund(100, { as: world.theirs })
    await post(`${SK}/vouchers`, { amount: 1, currency: 'USD', forEmail: 'a@b.example', sendEmail: true }, world.theirs)
    expect(imagesOf(await onlyMail())).toEqual(['<qr@scrip>'])
  })
})

describe('a notice', () => {
  test('names every key that was created, replaced or revoked, and never contains the key itself', async () => {
    await updateMerchant(world.pool, 'OURS', { contactEmail: 'owner@ours.example' })
    const { id, key } = await createKey(world.tools, world.ours, { kind: 'secret', name: 'Back office' })
    const { key: next } = await rotateKey(world.tools, world.ours, id)
    await expect(rotateKey(world.tools, world.ours, id)).rejects.toMatchObject({ code: 'KEY_ROTATED' })
    await revokeKey(world.tools, world.ours, id)
    await revokeKey(world.tools, world.ours, id)
    await world.work()
    expect(mailbox.received.map(({ subject }) => subject).sort()).toEqual([
      'OURS: API key created',
      'OURS: API key replaced',
      'OURS: API key revoked',
    ])
    for (const { text, recipients } of mailbox.received) {
      expect(recipients).toEqual(['owner@ours.example'])
      expect(text).toContain('Back office')
      for (const secret of [key, next]) expect(text).not.toContain(secret)
    }
    mailbox.received.length = 0
    await createKey(world.tools, world.theirs, { kind: 'secret', name: 'No recipient' })
    await world.work()
    expect(mailbox.received).toEqual([])
  })

  test('reports a disabled webhook endpoint and the reason', async () => {
    await post('/webhook-endpoints', { url: 'http://127.0.0.1:1/hooks' })
    await world.voucher(1)
    for (let day = 0; day <= 6; day++) {
      await world.work()
      now = new Date(now.getTime() + dayMs)
    }
    const mail = mailbox.received.find(({ subject }) => subject?.includes('Webhook endpoint disabled'))
    expect(mail?.text).toContain('http://127.0.0.1:1/hooks')
    expect(mail?.text).toContain('Deliveries failed for five days.')
  })
})

describe('an email that cannot be sent', () => {
  test('is retried with growing waits after temporary refusals, and sent once', async () => {
    refusal = { status: 451, text: 'try again later' }
    await gift()
    await world.work()
    expect((await statuses()).at(-1)).toMatchObject({ status: 'pending', attempts: 1 })
    now = new Date(now.getTime() + minuteMs)
    await world.work()
    expect((await statuses()).at(-1)).toMatchObject({ status: 'pending', attempts: 2 })
    await world.work()
    expect((await statuses()).at(-1)).toMatchObject({ attempts: 2 })
    refusal = undefined
    now = new Date(now.getTime() + 5 * minuteMs)
    await onlyMail()
    expect((await statuses()).at(-1)).toMatchObject({ status: 'sent', attempts: 3 })
  })

  test('stays queued with its code when the server refuses us and not the recipient', async () => {
    greeting = { status: 553, text: 'this sender may not' }
    await gift()
    await world.work()
    expect((await statuses()).at(-1)).toMatchObject({ status: 'pending', attempts: 1 })
    expect((await statuses()).at(-1)?.sealed).not.toBeNull()
    greeting = undefined
    now = new Date(now.getTime() + minuteMs)
    await onlyMail()
  })

  test('is given up after a permanent refusal, and its code is deleted', async () => {
    refusal = { status: 550, text: 'no such mailbox' }
    await gift()
    await world.work()
    expect((await statuses()).at(-1)).toMatchObject({ status: 'failed', attempts: 1, sealed: null })
    expect((await statuses()).at(-1)?.said).toContain('no such mailbox')
  })

  test('of a kind that this version does not know delays no other', async () => {
    await gift()
    await owner.query(
      `insert into mails (id, environment_id, about_id, recipient, language, kind, content, next_attempt_at, created_at)
        select $1, environment_id, about_id, recipient, language, 'survey', '{}', next_attempt_at, created_at
        from mails where status = 'pending' limit 1`,
      [world.newId()],
    )
    await onlyMail()
    const { rows } = await owner.query(`delete from mails where kind = 'survey' returning status, attempts`)
    expect(rows).toEqual([{ status: 'pending', attempts: 1 }])
  })

  test('is deleted with its address after 30 days', async () => {
    now = new Date(now.getTime() + 31 * dayMs)
    await world.work()
    expect(await statuses()).toEqual([])
  })
})
