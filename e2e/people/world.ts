// What the parts of the people drill share: its size, merchants and users, their requests and the results.
import {
  type HttpResponse,
  type ApiProcess,
  type Connection,
  withConnections,
} from '../../server/local/drill/api-process.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser, type Realm } from '../../server/src/identity/user/store.ts'
import { sendOrThrow, type Merchant, toMajor } from '../voucher-lifecycle/world.ts'
import type { Books } from './books.ts'

export type World = {
  readonly isShort: boolean
  /** Connects as the owner of the tables, who sees the rows of every environment. */
  readonly pool: Pool
  /** The first runs a worker too. */
  readonly apis: [ApiProcess, ApiProcess]
  readonly publicUrl: string
  readonly openMerchant: (code: string) => Promise<Merchant>
  readonly books: Books
  readonly report: Report
}

const shownMax = 20

type Report = {
  /** Only the first ones. One cause often has hundreds of faults, which would hide the earliest. */
  readonly faults: string[]
  unshown: number
  authorisations: number
  rounds: number
  readonly ends: { completed: number; failed: number; withdrawn: number; expired: number }
  replays: number
  kills: number
  capped: number
  readonly expect: (holds: boolean, fault: string) => void
}

export function createReport(): Report {
  const faults: string[] = []
  const report: Report = {
    faults,
    unshown: 0,
    authorisations: 0,
    rounds: 0,
    ends: { completed: 0, failed: 0, withdrawn: 0, expired: 0 },
    replays: 0,
    kills: 0,
    capped: 0,
    expect(holds, fault) {
      if (holds) return
      if (faults.length < shownMax) faults.push(fault)
      else report.unshown++
    },
  }
  return report
}

export const pin = '135790'
const password = 'correct horse battery'
// One hash for all users, because it takes 25 ms.
const passwordHash = hashPassword(password)
const newId = createIds(systemClock, systemRandom)

export type Person = {
  readonly id: string
  readonly email: string
  /** A request with the cookies of the user's browser. */
  readonly post: (path: string, body: object, headers?: readonly string[]) => string
}

/** Adds a user who is signed in and has a PIN. */
export async function addPerson({ pool, apis, publicUrl }: World, realm: Realm): Promise<Person> {
  const id = newId()
  const email = `p-${id.slice(-8)}@example.com`
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  const known = await passwordHash
  await inTransaction(pool, (tx) => insertUser(tx, { id, realm, email, ...names }, known, systemClock()))
  const [api] = apis
  const signedIn = await fetch(`${api.baseUrl}/auth/${realm}/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: publicUrl },
    body: JSON.stringify({ email, password }),
  })
  if (!signedIn.ok) throw new Error(`The sign-in failed: ${await signedIn.text()}`)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const post: Person['post'] = (path, body, headers = []) => {
    const text = JSON.stringify(body)
    const about = ['Host: drill', `Scrip-Realm: ${realm}`, `Cookie: ${cookie}`, ...headers]
    const form = ['Content-Type: application/json', `Content-Length: ${text.length}`]
    return `POST ${path} HTTP/1.1\r\n${[...about, ...form].join('\r\n')}\r\n\r\n${text}`
  }
  await withConnections([api], 1, ([connection]) => sendOrThrow(connection, post('/me/pin', { pin, password })))
  return { id, email, post }
}

/** Funds a merchant or a user in test mode. */
export async function fund(
  { books }: World,
  connection: Connection,
  merchant: Merchant,
  amount: bigint,
  person?: Person,
): Promise<void> {
  const body = { amount: toMajor(amount), currency: 'USD', user: person?.email }
  await sendOrThrow(connection, merchant.post('/sandbox/fund', body))
  books.fund(person?.id ?? merchant.environmentId, amount)
}

/**
 * Connects before requests that must be concurrent. Otherwise the first request is done 750 ms before the last connection
 * is open: of 200 authorisations hardly two met, and a missing check went unnoticed.
 */
export async function connectAll(connections: readonly Connection[]): Promise<void> {
  await Promise.all(
    connections.map((connection) => connection.send('GET /health/live HTTP/1.1\r\nHost: drill\r\n\r\n')),
  )
}

export function codeOf({ body }: HttpResponse): string {
  return (JSON.parse(body) as { error?: { code: string } }).error?.code ?? ''
}
