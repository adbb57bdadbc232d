// The whole platform with one shop, and a browser, for tests of the pages.
import { existsSync } from 'node:fs'
import type { QueryResult } from 'pg'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { startApi } from '../../server/local/drill/api-process.ts'
import { asRole, cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { openMailbox, type ReceivedMail } from '../../server/local/parts/mailbox.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { openShop } from '../../server/local/drill/shop.ts'
import { buildWeb } from '../../server/local/demo/web.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { createSeals } from '../../server/src/base/seal.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import type { Role } from '../../server/src/http/caller.ts'
import { inviteMember } from '../../server/src/identity/merchant/members.ts'
import { watchRequests } from './settle.ts'

export type Stack = {
  readonly baseUrl: string
  /** The settings of the API, for a worker of its own. */
  readonly settings: Readonly<Record<string, string>>
  /** Queries as the owner of the tables, for what takes too long to wait for. */
  readonly query: (text: string, values: unknown[]) => Promise<QueryResult>
  readonly owner: Pool
  /** Connects as the operator. */
  readonly pool: Pool
  readonly fetch: (path: string) => Promise<Response>
  readonly post: (path: string, body: object) => Promise<ApiResponse>
  readonly get: (path: string) => Promise<ApiResponse>
  /** Invites a cashier, or a member with another role, as the operator does with `scrip staff invite`. */
  readonly invite: (merchantId: string, email: string, role?: Role) => Promise<unknown>
  /** Every email that the platform has sent. */
  readonly mails: readonly ReceivedMail[]
  readonly open: (options?: BrowserContextOptions) => Promise<OpenPage>
  /** Everything that the API and PostgreSQL logged. */
  readonly logs: () => string
  readonly stop: () => Promise<void>
}

type ApiResponse = { readonly code: number; readonly data: Record<string, unknown> }

/** `camera` is the file with the picture that the browser's camera sees. With `api` the caller starts the worker. */
export async function startStack(
  more: Record<string, string> = {},
  camera = '',
  command: 'all' | 'api' = 'all',
): Promise<Stack> {
  await buildWeb()
  // PostgreSQL logs the statement of every error, and the tests search this log for codes and PINs.
  const postgres = await startPostgres({ settings: { log_min_error_statement: 'info' } })
  const { url, operatorUrl, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(operatorUrl, 2)
  const owner = createPool(ownerUrl, 1)
  const pepper = systemRandom(32)
  const mailbox = await openMailbox()
  const ring = systemRandom(32)
  const settings = { ...settingsOf(url, pepper, ring), SMTP_URL: mailbox.url, ...more }
  const api = await startApi(settings, command)
  // A passkey needs a host name and not an IP address. The port is known only now.
  const baseUrl = `http://localhost:${api.port}`
  await api.restart({ PUBLIC_URL: baseUrl })
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const { publicKey, secretKey } = await openShop(pool, pepper, 'CORNER', 'Corner Books', 'owner@corner.example')
  const browser = await launchBrowser(camera)

  return {
    baseUrl,
    settings: { ...settings, PUBLIC_URL: baseUrl },
    query: (text, values) => owner.query(text, values),
    owner,
    pool,
    ...createShopClient(baseUrl, { Authorization: `Bearer ${publicKey}`, 'X-API-Private-Key': secretKey }),
    invite: (merchantId, email, role = 'cashier') => inviteStaff(pool, ring, merchantId, { email, role }),
    mails: mailbox.received,
    open: (options = {}) => openPage(browser, options),
    logs: () => api.logs() + postgres.logs(),
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

function settingsOf(url: string, pepper: Buffer, ring: Buffer): Record<string, string> {
  return {
    DATABASE_URL: url,
    CHAIN_DATABASE_URL: asRole(url, 'scrip_chain'),
    KEY_PEPPER: pepper.toString('hex'),
    KEY_RING: `1:${ring.toString('hex')}`,
    REQUESTS_PER_MINUTE: '100000',
    MAIL_FROM: 'Scrip <pay@scrip.example>',
    LOG_LEVEL: 'trace',
  }
}

/** Requests with both keys of the shop. */
function createShopClient(baseUrl: string, headers: Record<string, string>): Pick<Stack, 'fetch' | 'post' | 'get'> {
  return {
    fetch: (path) => fetch(`${baseUrl}${path}`, { headers }),
    post: async (path, body) => {
      const jsonHeaders = { ...headers, 'Content-Type': 'application/json' }
      const init = { method: 'POST', headers: jsonHeaders, body: JSON.stringify(body) }
      const response = await fetch(`${baseUrl}${path}`, init)
      return (await response.json()) as ApiResponse
    },
    get: async (path) => (await (await fetch(`${baseUrl}${path}`, { headers })).json()) as ApiResponse,
  }
}

function inviteStaff(
  pool: Pool,
  ring: Buffer,
  merchantId: string,
  invitee: { readonly email: string; readonly role: Role },
): Promise<unknown> {
  const clock = systemClock
  const links = { pool, clock, newId: createIds(clock, systemRandom), random: systemRandom }
  const seals = createSeals([{ id: 1, secret: ring }])
  return inviteMember({ ...links, seals }, merchantId, invitee)
}

export function launchBrowser(camera = ''): Promise<Browser> {
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

export type OpenPage = {
  readonly page: Page
  /** Errors and warnings in the browser's console. */
  readonly browserErrors: readonly string[]
  /** The URLs that the page requested. */
  readonly requests: readonly string[]
  readonly close: () => Promise<void>
}

/** The pages that no test has closed yet. */
export const openPages = new Set<OpenPage>()

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<OpenPage> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page = await context.newPage()
  watchRequests(page)
  const browserErrors: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') browserErrors.push(message.text())
  })
  page.on('pageerror', (error) => browserErrors.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  const opened = { page, browserErrors, requests, close: () => context.close() }
  openPages.add(opened)
  page.on('close', () => openPages.delete(opened))
  return opened
}
