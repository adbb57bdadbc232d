// The drill's own books: what its clients were told, which the database is held against.
import type { Pool } from '../../server/src/base/db.ts'

export type Books = ReturnType<typeof createBooks>

/** In cents, by who has them. Everything is in one currency, so that a person and a merchant have one account each. */
export function createBooks() {
  const balances = new Map<string, bigint>()
  let brought = 0n
  let payouts = 0
  const add = (ownerId: string, amount: bigint): unknown =>
    balances.set(ownerId, (balances.get(ownerId) ?? 0n) + amount)
  const move = (fromId: string, toId: string, amount: bigint): void => {
    add(fromId, -amount)
    add(toId, amount)
  }
  return {
    bring: (ownerId: string, amount: bigint): void => {
      brought += amount
      add(ownerId, amount)
    },
    notePayment: move,
    notePayout: (fromId: string, toId: string, amount: bigint): void => {
      payouts++
      move(fromId, toId, amount)
    },
    balanceOf: (ownerId: string): bigint => balances.get(ownerId) ?? 0n,

    /** One line for everything that is not as the clients were told. */
    async compare(pool: Pool): Promise<string[]> {
      const faults: string[] = []
      const { rows } = await pool.query<{ ownerId: string; balance: bigint }>(
        `select owner_id as "ownerId", sum(balance) as balance from ledger_accounts where kind <> 'treasury' group by owner_id`,
      )
      const found = new Map(rows.map(({ ownerId, balance }) => [ownerId, balance]))
      for (const ownerId of new Set([...found.keys(), ...balances.keys()])) {
        const [has, told] = [found.get(ownerId) ?? 0n, balances.get(ownerId) ?? 0n]
        if (has !== told) faults.push(`${ownerId} has ${has}, and was told of ${told}`)
      }
      const held = [...found.values()].reduce((sum, balance) => sum + balance, 0n)
      if (held !== brought) faults.push(`${brought} came in, and all have ${held}`)
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
        if (count !== payouts) faults.push(`${payouts} payouts were told to be paid; of ${name} are ${count}`)
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
