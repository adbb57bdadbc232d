// What the parts of the drill of people share: its size, its merchants and people, what it asks and what it found.
import { type Answer, type ApiProcess, type Line, withLines } from '../../server/local/api-process.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/user/password.ts'
import { insertPerson, type Realm } from '../../server/src/user/store.ts'
import { askOrThrow, type Merchant, toMajor } from '../voucher-lives/world.ts'
import type { Books } from './books.ts'

export type World = {
  readonly isShort: boolean
  /** As the owner of the tables, from whom no environment's rows are hidden. */
  readonly pool: Pool
  /** The first has a worker in it. */
  readonly apis: [ApiProcess, ApiProcess]
  readonly publicUrl: string
  readonly openMerchant: (code: string) => Promise<Merchant>
  readonly books: Books
  readonly report: Report
}

const shownMax = 20

type Report = ReturnType<typeof createReport>

export function createReport() {
  const faults: string[] = []
  return {
    /** The first of them. One cause often has hundreds, which would hide what came first. */
    faults,
    unshown: 0,
    authorisations: 0,
    rounds: 0,
    ends: { completed: 0, failed: 0, withdrawn: 0, expired: 0 },
    replays: 0,
    kills: 0,
    capped: 0,
    expect(holds: boolean, fault: string): void {
      if (holds) return
      if (faults.length < shownMax) faults.push(fault)
      else this.unshown++
    },
  }
}

export const pin = '135790'
const password = 'correct horse battery'
// The same for all: it takes 25 ms.
const passwordHash = hashPassword(password)
const newId = createIds(systemClock, systemRandom)

export type Person = Awaited<ReturnType<typeof addPerson>>

/** Somebody who has signed in and has a pin, and the requests that he sends with his browser's cookies. */
export async function addPerson({ pool, apis, publicUrl }: World, realm: Realm) {
  const id = newId()
  const email = `p-${id.slice(-8)}@example.com`
  const names = { surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  const known = await passwordHash
  await inTransaction(pool, (tx) => insertPerson(tx, { id, realm, email, ...names }, known, systemClock()))
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
  const post = (path: string, body: object, headers: readonly string[] = []): string => {
    const text = JSON.stringify(body)
    const about = ['Host: drill', `Scrip-Realm: ${realm}`, `Cookie: ${cookie}`, ...headers]
    const form = ['Content-Type: application/json', `Content-Length: ${text.length}`]
    return `POST ${path} HTTP/1.1\r\n${[...about, ...form].join('\r\n')}\r\n\r\n${text}`
  }
  await withLines([api], 1, ([line]) => askOrThrow(line, post('/me/pin', { pin, password })))
  return { id, email, post }
}

/** Brings play money to a merchant, or to a person. */
export async function fund(
  { books }: World,
  line: Line,
  merchant: Merchant,
  amount: bigint,
  person?: Person,
): Promise<void> {
  const body = { amount: toMajor(amount), currency: 'USD', user: person?.email }
  await askOrThrow(line, merchant.post('/sandbox/fund', body))
  books.bring(person?.id ?? merchant.environmentId, amount)
}

/**
 * Before what is to be at once. Else the first request is answered 750 ms before the last one is connected: of 200 authorisations
 * hardly two met, and a missing check went unnoticed.
 */
export async function connectAll(lines: readonly Line[]): Promise<void> {
  await Promise.all(lines.map((line) => line.ask('GET /health/live HTTP/1.1\r\nHost: drill\r\n\r\n')))
}

export function codeOf({ body }: Answer): string {
  return (JSON.parse(body) as { error?: { code: string } }).error?.code ?? ''
}
