import type { Db } from '../../base/db.ts'
import type { Money } from '../../base/money.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posted } from '../../ledger/journal.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUser, fullNameOf, type User, readIdentifier } from '../../identity/user/store.ts'
import { type Actor, type ActTools, performAct } from './act.ts'
import { walletError } from './errors.ts'
import { walletAccount, walletMove } from './store.ts'

export type SendInput = {
  /** Email or username. */
  readonly to: string
  readonly amount: Money
  readonly note: string
  readonly key: string
  readonly pin?: string | undefined
}

/** Finds a discoverable user. Not by phone number: numbers are not verified, so money is not sent to them. */
export async function findRecipient(db: Db, mode: Mode, identifier: string): Promise<User> {
  const user = readIdentifier(identifier).by === 'phone' ? undefined : await findUser(db, mode, identifier)
  if (user?.isDiscoverable !== true) throw userError('USER_NOT_FOUND')
  return user
}

export async function sendMoney(tools: ActTools, actor: Actor, mode: Mode, input: SendInput): Promise<Posted> {
  const { amount, note } = input
  const { id: userId } = actor.user
  return performAct(tools, actor, {
    kind: 'wallet.send',
    key: `wallet/${userId}/${input.key}`,
    requestFingerprint: JSON.stringify(['send', input.to, String(amount.minor), amount.currency.code, note]),
    pin: input.pin,
    build: async (tx, user, id) => {
      const recipient = await findRecipient(tx, mode, input.to)
      if (recipient.id === userId) throw walletError('WALLET_SELF', { param: 'to' })
      const bookId = await ensureBook(tx, mode, amount.currency.code)
      const [from, to] = [walletAccount(userId, bookId), walletAccount(recipient.id, bookId)]
      const move = { id, bookId, note }
      const { minor } = amount
      const [left, came] = [
        walletMove({ ...move, userId, kind: 'sent', amount: -minor, withName: fullNameOf(recipient) }),
        walletMove({ ...move, userId: recipient.id, kind: 'received', amount: minor, withName: fullNameOf(user) }),
      ]
      return { transfers: [{ from, to, amount: amount.minor }], open: [to], documents: [left, came] }
    },
  })
}
