// A file of payouts with good, bad and doubled rows, and the users whom it pays.
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'

export type Payee = { readonly id: string; readonly email: string }
export type PayoutFile = {
  readonly csv: string
  /** The rows that are to be paid. */
  readonly good: readonly { readonly userId: string; readonly cents: bigint }[]
  /** The number of rows that are to be explained. */
  readonly bad: number
}

export async function addUsers(pool: Pool, count: number): Promise<Payee[]> {
  const newId = createIds(systemClock, systemRandom)
  // Payees never sign in, so one hash serves all of them.
  const hash = await hashPassword('correct horse battery')
  const payees = Array.from({ length: count }, (_, i) => ({ id: newId(), email: `payee-${i}@example.com` }))
  for (const payee of payees) {
    const user = { ...payee, realm: 'test', surname: 'Doe', otherNames: 'Jo', language: 'en' } as const
    await inTransaction(pool, (tx) => insertUser(tx, user, hash, systemClock()))
  }
  return payees
}

/** Of 20 rows one repeats an earlier one and one is wrong, each in another way than the last. */
export function createFile(payees: readonly Payee[], size: number): PayoutFile {
  const good: { userId: string; cents: bigint }[] = []
  const lines: string[] = []
  let bad = 0
  for (let i = 0; i < size; i++) {
    const payee = payees[i % payees.length]
    if (payee === undefined) throw new Error('There are no payees.')
    const amount = `${1 + Math.floor(i / 100)}.${String(i % 100).padStart(2, '0')}`
    const row = i % 20
    const repeated = lines[i - 19]
    if (row === 19 && repeated !== undefined) {
      lines.push(repeated)
      bad++
    } else if (row === 18) {
      lines.push(wrongRow(i, payee, amount))
      bad++
    } else {
      lines.push(`${payee.email},${amount},,`)
      good.push({ userId: payee.id, cents: BigInt(amount.replace('.', '')) })
    }
  }
  return { csv: ['recipient,amount,currency,reference', ...lines].join('\n'), good, bad }
}

function wrongRow(i: number, { email }: Payee, amount: string): string {
  const wrong = [
    `nobody-${i}@example.com,${amount},,`,
    `${email},${amount}5,,`,
    `${email},0,,`,
    `${email},${amount},EUR,`,
    `${email},${amount},,no spaces`,
    `,${amount},,`,
  ]
  return wrong[Math.floor(i / 20) % wrong.length] ?? ''
}
