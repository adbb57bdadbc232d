// The drill's own accounts, built from the responses that its clients got, to compare with the database.
import type { Pool } from '../../server/src/base/db.ts'

export type Books = {
  /** Records money that came in from outside. */
  readonly fund: (ownerId: string, amount: bigint) => void
  readonly notePayment: (fromId: string, toId: string, amount: bigint) => void
  readonly notePayout: (fromId: string, toId: string, amount: bigint) => void
  readonly balanceOf: (ownerId: string) => bigint
  /** One line for each difference between these accounts and the database. */
  readonly compare: (pool: Pool) => Promise<string[]>
}

/** Balances in cents by owner. There is one currency, so that each user and each merchant has one account. */
export function createBooks(): Books {
  const balances = new Map<string, bigint>()
  let funded = 0n
  let payouts = 0
  const add = (ownerId: string, amount: bigint): unknown =>
    balances.set(ownerId, (balances.get(ownerId) ?? 0n) + amount)
  const move = (fromId: string, toId: string, amount: bigint): void => {
    add(fromId, -amount)
    add(toId, amount)
  }
  return {
    fund: (ownerId, amount) => {
      funded += amount
      add(ownerId, amount)
    },
    notePayment: move,
    notePayout: (fromId, toId, amount) => {
      payouts++
      move(fromId, toId, amount)
    },
    balanceOf: (ownerId) => balances.get(ownerId) ?? 0n,

    async compare(pool) {
      const faults: string[] = []
      const { rows } = await pool.query<{ ownerId: string; balance: bigint }>(
        `select owner_id as "ownerId", sum(balance) as balance from ledger_accounts where kind <> 'treasury' group by owner_id`,
      )
      const found = new Map(rows.map(({ ownerId, balance }) => [ownerId, balance]))
      for (const ownerId of new Set([...found.keys(), ...balances.keys()])) {
        const [has, expected] = [found.get(ownerId) ?? 0n, balances.get(ownerId) ?? 0n]
        if (has !== expected) faults.push(`${ownerId} has ${has}, expected ${expected}`)
      }
      const held = [...found.values()].reduce((sum, balance) => sum + balance, 0n)
      if (held !== funded) faults.push(`${funded} came in, and all accounts together have ${held}`)
      for (const [name, query] of [
        [
          'payouts',
          `select count(*) from payouts join transactions using (environment_id, id) where status = 'COMPLETED'`,
        ],
        ['transactions', `select count(*) from transactions where type = 'PAYOUT'`],
        ['journals', `select count(*) from ledger_journals where kind = 'payout'`],
        ['events', `select count(*) from ledger_outbox where type = 'payout.completed'`],
      ] as const) {
        const { rows: counted } = await pool.query<{ count: bigint }>(query)
        const count = Number(counted[0]?.count)
        if (count !== payouts) faults.push(`${payouts} payouts were acknowledged, but there are ${count} ${name}`)
      }
      return faults
    },
  }
}

export async function readBalance(pool: Pool, ownerId: string): Promise<bigint> {
  const { rows } = await pool.query<{ balance: bigint }>(
    `select balance from ledger_accounts where owner_id = $1 and kind in ('wallet', 'merchant')`,
    [ownerId],
  )
  return rows[0]?.balance ?? 0n
}
