// The whole platform with a shop in it, and a browser before it, for tests of what people see.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { startApi } from '../../server/local/api-process.ts'
import { asRole, cloneTemplate, createTemplate } from '../../server/local/database.ts'
import { openMailbox } from '../../server/local/mailbox.ts'
import { startPostgres } from '../../server/local/postgres.ts'
import { openShop } from '../../server/local/shop.ts'
import { buildWeb } from '../../server/local/web.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { createSeals } from '../../server/src/base/seal.ts'
import { saveRule } from '../../server/src/charge/store.ts'
import { inviteMember } from '../../server/src/merchant/members.ts'

export type Stack = Awaited<ReturnType<typeof startStack>>

type Answer = { readonly code: number; readonly data: Record<string, unknown> }

/** `camera` is a file with the pictures that the browser's camera sees. */
export async function startStack(more: Record<string, string> = {}, camera = '') {
  buildWeb()
  // Its log says what it was asked whenever something fails, and is searched for codes and pins.
  const postgres = await startPostgres({ settings: { log_min_error_statement: 'info' } })
  const { url, operatorUrl, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(operatorUrl, 2)
  const owner = createPool(ownerUrl, 1)
  const pepper = systemRandom(32)
  const mailbox = await openMailbox()
  const ring = systemRandom(32)
  const api = await startApi(
    {
      DATABASE_URL: url,
      CHAIN_DATABASE_URL: asRole(url, 'scrip_chain'),
      KEY_PEPPER: pepper.toString('hex'),
      KEY_RING: `1:${ring.toString('hex')}`,
      REQUESTS_PER_MINUTE: '100000',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Scrip <pay@scrip.example>',
      LOG_LEVEL: 'trace',
      ...more,
    },
    'all',
  )
  // By name, since a passkey is never for an IP address. Its port is known only now.
  const baseUrl = `http://localhost:${api.port}`
  await api.restart({ PUBLIC_URL: baseUrl })
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const { publicKey, secretKey } = await openShop(pool, pepper, 'CORNER', 'Corner Books', 'owner@corner.example')
  const headers = { Authorization: `Bearer ${publicKey}`, 'X-API-Private-Key': secretKey }
  const browser = await launchBrowser(camera)

  return {
    baseUrl,
    /** As the owner of the tables, for what takes too long to wait for. */
    query: (text: string, values: unknown[]) => owner.query(text, values),
    owner,
    /** As the operator. */
    pool,
    fetch: (path: string) => fetch(`${baseUrl}${path}`, { headers }),
    post: async (path: string, body: object): Promise<Answer> => {
      const about = { ...headers, 'Content-Type': 'application/json' }
      const reply = await fetch(`${baseUrl}${path}`, { method: 'POST', headers: about, body: JSON.stringify(body) })
      return (await reply.json()) as Answer
    },
    get: async (path: string): Promise<Answer> =>
      (await (await fetch(`${baseUrl}${path}`, { headers })).json()) as Answer,
    /** As the operator does with `scrip staff invite`. */
    invite: (merchantId: string, email: string) => {
      const clock = systemClock
      const links = { pool, clock, newId: createIds(clock, systemRandom), random: systemRandom }
      const seals = createSeals([{ id: 1, secret: ring }])
      return inviteMember({ ...links, seals }, merchantId, { email, role: 'cashier' })
    },
    /** Everything that was sent by e-mail. */
    mails: mailbox.received,
    open: (options: BrowserContextOptions = {}) => openPage(browser, options),
    /** Everything that the processes of the platform logged. */
    said: () => api.said() + postgres.said(),
    stop: async () => {
      await browser.close()
      await pool.end()
      await owner.end()
      await api.stop()
      await mailbox.close()
      await postgres.stop()
    },
  }
}

function launchBrowser(camera: string): Promise<Browser> {
  const executablePath = '/usr/bin/chromium'
  if (!existsSync(executablePath)) throw new Error('Chromium is needed: apt-get install chromium')
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
  const cameraArgs = [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${camera}`,
  ]
  return chromium.launch({ executablePath, args: camera === '' ? args : [...args, ...cameraArgs] })
}

/** A page whose complaints and requests are kept: neither may be there that should not. */
async function openPage(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page: Page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  return { page, complaints, requests, close: () => context.close() }
}
