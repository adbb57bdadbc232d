import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLoad, initialAccounts, journalOf, namedId, type LoadWorld } from '../../local/drill/ledger-load.ts'
import { createModel, modelPost } from '../../local/drill/ledger-model.ts'
import { type Account, mayGoNegative, nameOf } from './account.ts'
import { decide, type LedgerFacts } from './decide.ts'
import type { Journal, Posting } from './journal.ts'

const account = (kind: 'voucher' | 'merchant', name: string) => ({ bookId: 1, ownerId: namedId(name), kind })
const start = new Date('2026-06-01T12:00:00Z')
// The limits for USD and EUR in a new database.
const limits = [
  [1, 100_000_00n],
  [2, 100_000_00n],
] as const

function emptyFacts(accounts: readonly Parameters<typeof nameOf>[0][]): LedgerFacts {
  const facts = accounts.map((a) => {
    const open = {
      account: a,
      state: 'open' as const,
      mayGoNegative: mayGoNegative(a.kind),
      balance: 0n,
      held: 0n,
      version: 0n,
    }
    return [nameOf(a), open] as const
  })
  return { accounts: new Map(facts), holds: new Map(), records: new Map(), deskLimits: new Map(limits) }
}

let ids = 0
const newId = () => namedId(`journal/${ids++}`)

describe('decide', () => {
  test('posts and refuses the same journals as the model, in batches of any size', () => {
    const anyRun = fc.record({
      seed: fc.nat(),
      batches: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
      stepMs: fc.nat({ max: 120 }),
    })
    fc.assert(
      fc.property(anyRun, ({ seed, batches, stepMs }) => {
        const world: LoadWorld = { seed, books: [1, 2], posters: 2 }
        const load = createLoad(world)
        const facts = emptyFacts(initialAccounts(world))
        const model = createModel(initialAccounts(world))
        const posted = new Map<string, string>()
        const indexes = [0, 0]
        let deferred: Journal[] = []
        for (const [n, size] of batches.entries()) {
          const at = new Date(start.getTime() + n * stepMs)
          const fresh = Array.from({ length: size }, (_, i) => {
            const input = load.askAt(i % 2, indexes[i % 2]!++, at)
            return journalOf(input, newId())
          })
          const journals = [...deferred, ...fresh]
          deferred = []
          const { decisions } = decide(journals, facts, at, newId)
          // After a batch its holds are committed and no longer new.
          for (const hold of facts.holds.values()) Object.assign(hold, { isNew: false })
          for (const [i, journal] of journals.entries()) {
            const decision = decisions[i]!
            if (decision.is === 'deferred') deferred.push(journal)
            else
              expect(decision.is === 'posted' ? decision.posted.alternative : decision.error.code).toEqual(
                expected(journal, at),
              )
          }
        }
        for (const [name, { balance }] of facts.accounts) expect(balance).toBe(model.balances.get(name))

        function expected(journal: Journal, at: Date): unknown {
          const earlier = posted.get(journal.key)
          if (earlier !== undefined && !earlier.startsWith(`${journal.requestFingerprint} `))
            return 'LEDGER_KEY_CONFLICT'
          if (earlier !== undefined) return Number(earlier.split(' ')[1])
          const alternative = journal.alternatives.findIndex((posting: Posting) => modelPost(model, posting, at))
          if (alternative < 0) return expect.stringMatching(/^LEDGER_(INSUFFICIENT|HOLD_)/)
          posted.set(journal.key, `${journal.requestFingerprint} ${alternative}`)
          return alternative
        }
      }),
      { numRuns: 150 },
    )
  })

  test('a journal can spend what an earlier journal of the batch paid in, but not what a later one pays in', () => {
    const [a, b, c] = [account('voucher', 'a'), account('merchant', 'b'), account('merchant', 'c')]
    const move = (from: typeof a, to: typeof a): Journal => ({
      id: newId(),
      kind: 'test.move',
      key: newId(),
      requestFingerprint: '',
      alternatives: [{ transfers: [{ from, to, amount: 5n }] }],
    })
    const outcome = (...journals: Journal[]) => {
      const facts = emptyFacts([a, b, c])
      facts.accounts.get(nameOf(a))!.balance = 5n
      return decide(journals, facts, start, newId).decisions.map(({ is }) => is)
    }
    expect(outcome(move(a, b), move(b, c))).toEqual(['posted', 'posted'])
    expect(outcome(move(b, c), move(a, b))).toEqual(['refused', 'posted'])
  })
})

test('refuses journals that push a desk over its limit, even a newly opened one, but not those that reduce its debt', () => {
  const desk: Account = { bookId: 1, ownerId: '00000000-0000-7000-8000-0000000000dd', kind: 'exchange' }
  const rich: Account = { bookId: 1, ownerId: '00000000-0000-7000-8000-0000000000ee', kind: 'treasury' }
  const limits = { deskLimits: new Map([[1, 100n]]) }
  const moveOf = (from: Account, to: Account, amount: bigint, id: string): Journal => ({
    id: `00000000-0000-7000-8000-0000000000${id}`,
    kind: 'test',
    key: id,
    requestFingerprint: '',
    alternatives: [{ transfers: [{ from, to, amount }], open: [desk, rich] }],
  })
  const facts = { accounts: new Map(), holds: new Map(), records: new Map(), ...limits }
  const journals = [
    moveOf(desk, rich, 101n, '01'),
    moveOf(desk, rich, 100n, '02'),
    moveOf(desk, rich, 1n, '03'),
    moveOf(rich, desk, 1n, '04'),
    moveOf(desk, rich, 1n, '05'),
  ]
  const { decisions } = decide(journals, facts, new Date(), () => '00000000-0000-7000-8000-000000000099')
  expect(decisions.map(({ is }) => is)).toEqual(['refused', 'posted', 'refused', 'posted', 'posted'])
})
