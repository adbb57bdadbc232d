import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLedgerWorld } from '../../server/local/test/ledger-world.ts'
import { createTestDatabase } from '../../server/local/test/test-database.ts'
import type { Account } from '../../server/src/ledger/account.ts'
import { ensureBook } from '../../server/src/ledger/book.ts'
import { exchange, exchangeAccount } from '../../server/src/ledger/exchange.ts'
import type { Posting } from '../../server/src/ledger/journal.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'

const page = readFileSync(join(import.meta.dirname, 'ledger.md'), 'utf8')

/** All examples as one program, in which every `// → value` is a comparison. */
function programOf(text: string): string {
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code)
  return blocks
    .join('\n')
    .split('\n')
    .map((line) => {
      const [, expression, result] = /^(.*\S)\s+\/\/ → (.*)$/.exec(line) ?? []
      return expression === undefined
        ? line
        : `same(await (${expression}), ${JSON.stringify(result)}, ${JSON.stringify(line)});`
    })
    .join('\n')
}

test('every value on the page is what the ledger returns', async () => {
  const world = await createLedgerWorld((await createTestDatabase()).url)
  let compared = 0
  const scope = {
    db: world.pool,
    ledger: world.ledger,
    clock: world.clock,
    newId: world.newId,
    balanceOf: world.balanceOf,
    availableOf: async (account: Account) => {
      const { balance, held } = await world.read(account)
      return balance - held
    },
    journal: (kind: string, posting: Posting) => world.journal(posting, { kind }),
    codeOf: (post: Promise<unknown>) =>
      post.then(
        () => 'posted',
        (error: unknown) => (error as { code: string }).code,
      ),
    inMinutes: (minutes: number) => new Date(world.clock().getTime() + minutes * 60_000),
    ensureBook,
    exchange,
    exchangeAccount,
    verifyLedger,
    same: (value: unknown, expected: string, line: string) => {
      compared++
      expect(
        Array.isArray(value) ? JSON.stringify(value) : String(value as string | number | bigint | boolean),
        line,
      ).toBe(expected)
    },
  }
  const program = `export default async ({ ${Object.keys(scope).join(', ')} }) => {\n${programOf(page)}\n}`
  const encoded = Buffer.from(stripTypeScriptTypes(program)).toString('base64')
  const { default: run } = (await import(`data:text/javascript;base64,${encoded}`)) as {
    default: (given: typeof scope) => Promise<void>
  }
  await run(scope)
  expect(compared).toBe([...page.matchAll(/\/\/ → /g)].length)
  await world.close()
})
