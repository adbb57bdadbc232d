// Random journals for property tests and drills. The same (seed, poster, index) gives the same request in every process, so
// that a restarted poster repeats its requests, and the checker knows what each one requested.
import fc from 'fast-check'
import type { Account, AccountKind } from '../../src/ledger/account.ts'
import { exchange } from '../../src/ledger/exchange.ts'
import { digest, type HoldAct, type Journal, type Posting, type Transfer } from '../../src/ledger/journal.ts'

export type LoadWorld = { readonly seed: number; readonly books: readonly [number, number]; readonly posters: number }

/** What one poster requests at one index. A retry repeats an earlier request, of this poster or another. */
export type LoadRequest = {
  readonly poster: number
  readonly index: number
  /** A retry with another request under the same key, which must be refused once the key is posted. */
  readonly isChanged: boolean
  readonly postings: readonly [Posting, ...Posting[]]
}

const merchantsPerBook = 6
const vouchersPerBook = 24
const chunkSize = 500

/** An ID that every process can derive from a name. */
export function namedId(name: string): string {
  const hex = digest(name)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** The environment that gets the events of the load. */
export const loadId = namedId('load')

function loadAccount(kind: AccountKind, bookId: number, n: number): Account {
  const group = kind === 'voucher' ? 'voucher' : 'merchant'
  return { bookId, ownerId: namedId(`${group}/${n}`), kind }
}

/** Every account that is open before the load begins. The load opens more. */
export function initialAccounts({ books }: LoadWorld): Account[] {
  const merchantKinds: AccountKind[] = ['merchant', 'merchant_admin', 'fee', 'exchange', 'treasury']
  return books.flatMap((bookId) => [
    ...Array.from({ length: vouchersPerBook }, (_, n) => loadAccount('voucher', bookId, n)),
    ...merchantKinds.flatMap((kind) =>
      Array.from({ length: merchantsPerBook }, (_, n) => loadAccount(kind, bookId, n)),
    ),
  ])
}

function holdIdOf(poster: number, index: number): string {
  return namedId(`hold/${poster}/${index}`)
}

type Shape = {
  act:
    | 'pay'
    | 'pay_either'
    | 'exchange'
    | 'fund'
    | 'open'
    | 'reserve'
    | 'settle'
    | 'release'
    | 'repeat'
    | 'repeat_changed'
  book: 0 | 1
  voucher: number
  merchant: number
  other: number
  amount: number
  back: number
  poster: number
  lifeMs: number
}

type Weights = Partial<Record<Shape['act'], number>>

const anything: Weights = {
  ...{ pay: 8, pay_either: 5, exchange: 3, fund: 5, open: 1 },
  ...{ reserve: 3, settle: 3, release: 1, repeat: 2, repeat_changed: 1 },
}
// A batch with a hold, or with an account that is debited and credited, is never posted in one round. Batches of these are.
const funding: Weights = { fund: 400, open: 40, repeat: 1 }
const paying: Weights = { pay: 400, repeat: 1 }
/** What is requested in one chunk after the other. The posters are in the same one most of the time. */
const stretches = [anything, funding, funding, paying]

const anyShape = (posters: number, weights: Weights): fc.Arbitrary<Shape> =>
  fc.record({
    act: fc.oneof(
      ...Object.entries(weights).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act as Shape['act']) })),
    ),
    book: fc.constantFrom(0 as const, 1 as const),
    voucher: fc.nat({ max: vouchersPerBook - 1 }),
    merchant: fc.nat({ max: merchantsPerBook - 1 }),
    other: fc.nat({ max: merchantsPerBook - 1 }),
    amount: fc.integer({ min: 1, max: 60 }),
    back: fc.integer({ min: 1, max: 40 }),
    poster: fc.nat({ max: posters - 1 }),
    lifeMs: fc.integer({ min: 5, max: 400 }),
  })

type Load = {
  /** The request at an index. A retry is resolved to what it repeats. `now` sets when a hold expires. */
  readonly askAt: (poster: number, index: number, now: Date) => LoadRequest
  readonly askOf: (poster: number, index: number, isChanged: boolean, now: Date) => LoadRequest
}

/** Makes requests on demand, and caches the shapes of recent chunks. */
export function createLoad(world: LoadWorld): Load {
  const chunks = new Map<string, Shape[]>()
  const arbitraries = stretches.map((weights) => anyShape(world.posters, weights))

  function shapeAt(poster: number, index: number): Shape {
    const chunk = Math.floor(index / chunkSize)
    const name = `${poster}/${chunk}`
    let shapes = chunks.get(name)
    if (shapes === undefined) {
      const seed = parseInt(digest(`${world.seed}/${name}`).slice(0, 7), 16)
      const arbitrary = arbitraries[chunk % arbitraries.length] as fc.Arbitrary<Shape>
      shapes = fc.sample(arbitrary, { numRuns: chunkSize, seed })
      if (chunks.size > 20 * world.posters) chunks.clear()
      chunks.set(name, shapes)
    }
    return shapes[index % chunkSize] as Shape
  }

  function askAt(poster: number, index: number, now: Date): LoadRequest {
    let at = { poster, index }
    let isChanged = false
    let shape = shapeAt(poster, index)
    for (let hops = 0; hops < 5 && (shape.act === 'repeat' || shape.act === 'repeat_changed'); hops++) {
      isChanged ||= shape.act === 'repeat_changed'
      // Another poster's request of about the same time, which is often in progress at this moment.
      at = { poster: shape.poster, index: Math.max(0, at.index - (shape.poster === at.poster ? shape.back : 0)) }
      shape = shapeAt(at.poster, at.index)
    }
    return askOf(at.poster, at.index, isChanged, now)
  }

  function askOf(poster: number, index: number, isChanged: boolean, now: Date): LoadRequest {
    const shape = shapeAt(poster, index)
    const postings = postingsOf(world, shape, poster, index, isChanged ? 1n : 0n, now, (back) =>
      shapeAt(poster, index - back),
    )
    const event = {
      type: 'load.posted',
      environmentId: loadId,
      about: { id: loadId, sequence: index },
      data: { poster, index, isChanged, expiresAt: expiryOf(postings) },
    }
    const [first, ...rest] = postings.map((posting) => ({ ...posting, events: [event] }))
    return { poster, index, isChanged, postings: [first as Posting, ...rest] }
  }

  return { askAt, askOf }
}

export function journalOf(request: LoadRequest, id: string): Journal {
  const { poster, index, isChanged, postings } = request
  return {
    id,
    kind: 'load.post',
    key: `load/${poster}/${index}`,
    requestFingerprint: `${poster}/${index}/${isChanged}`,
    alternatives: postings,
  }
}

function expiryOf(postings: Posting[]): string | null {
  const reserve = postings.flatMap(({ holds = [] }) => holds).find(({ act }) => act === 'reserve')
  return reserve?.act === 'reserve' ? reserve.expiresAt.toISOString() : null
}

function postingsOf(
  world: LoadWorld,
  shape: Shape,
  poster: number,
  index: number,
  extra: bigint,
  now: Date,
  earlier: (back: number) => Shape,
): Posting[] {
  const book = world.books[shape.book]
  const otherBook = world.books[1 - shape.book] ?? book
  const amount = BigInt(shape.amount) + extra
  const voucher = loadAccount('voucher', book, shape.voucher)
  const merchant = (kind: AccountKind, n = shape.merchant, bookId = book) => loadAccount(kind, bookId, n)
  const pay = (from: Account, to: Account, minor: bigint): Transfer => ({ from, to, amount: minor })
  const fee = pay(voucher, merchant('fee'), 1n)

  switch (shape.act) {
    case 'pay':
      return [{ transfers: [pay(voucher, merchant('merchant'), amount), fee] }]
    case 'pay_either':
      return [
        {
          transfers: [pay(voucher, merchant('merchant'), amount), pay(merchant('merchant_admin'), merchant('fee'), 4n)],
        },
        { transfers: [pay(voucher, merchant('merchant'), amount), fee] },
        { transfers: [pay(merchant('merchant'), merchant('fee'), 1n)] },
      ]
    case 'exchange':
      return [
        exchange(
          merchant('merchant').ownerId,
          { account: voucher, amount },
          { account: merchant('merchant', shape.merchant, otherBook), amount: amount * 2n },
        ),
      ]
    case 'fund':
      return [
        {
          transfers: [
            pay(merchant('treasury'), voucher, amount),
            pay(merchant('treasury'), merchant('merchant_admin', shape.other), 1n),
          ],
        },
      ]
    case 'open': {
      const opened: Account = { bookId: book, ownerId: namedId(`opened/${poster}/${index}`), kind: 'voucher' }
      return [{ transfers: [pay(merchant('merchant'), opened, amount)], open: [opened] }]
    }
    case 'reserve': {
      const holdId = holdIdOf(poster, index)
      const expiresAt = new Date(now.getTime() + shape.lifeMs)
      return [{ transfers: [], holds: [{ act: 'reserve', holdId, account: merchant('merchant'), amount, expiresAt }] }]
    }
    default:
      return [useHold(world, shape, poster, index, amount, earlier)]
  }
}

/** Settles or releases the newest recent hold of this poster, if there is one. */
function useHold(
  world: LoadWorld,
  shape: Shape,
  poster: number,
  index: number,
  amount: bigint,
  earlier: (back: number) => Shape,
): Posting {
  for (let back = 1; back <= Math.min(30, index); back++) {
    const made = earlier(back)
    if (made.act !== 'reserve') continue
    const bookId = world.books[made.book]
    const account = loadAccount('merchant', bookId, made.merchant)
    const holdId = holdIdOf(poster, index - back)
    if (shape.act === 'release')
      return { transfers: [], holds: [{ act: 'release', holdId, account }] satisfies HoldAct[] }
    const to = loadAccount('fee', bookId, shape.other)
    return { transfers: [{ from: account, to, amount }], holds: [{ act: 'settle', holdId, account, amount }] }
  }
  const bookId = world.books[shape.book]
  const account = loadAccount('merchant', bookId, shape.merchant)
  return { transfers: [{ from: account, to: loadAccount('fee', bookId, shape.merchant), amount }] }
}
