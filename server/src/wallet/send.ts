import type { Db } from '../base/db.ts'
import type { Money } from '../base/money.ts'
import { ensureBook, type Mode } from '../ledger/book.ts'
import type { Posted } from '../ledger/journal.ts'
import { userError } from '../user/errors.ts'
import { findPerson, fullNameOf, type Person, readIdentifier } from '../user/store.ts'
import { type Actor, type ActTools, performAct } from './act.ts'
import { walletError } from './errors.ts'
import { walletAccount, walletMove } from './store.ts'

export type SendAsk = {
  /** By e-mail or username. */
  readonly to: string
  readonly amount: Money
  readonly note: string
  readonly key: string
  readonly pin?: string | undefined
}

/** Somebody whom others may find. Not by phone: a number is whoever's who claims it first, and money is not sent to a claim. */
export async function findRecipient(db: Db, mode: Mode, identifier: string): Promise<Person> {
  const person = readIdentifier(identifier).by === 'phone' ? undefined : await findPerson(db, mode, identifier)
  if (person?.isDiscoverable !== true) throw userError('USER_NOT_FOUND')
  return person
}

export async function sendMoney(tools: ActTools, actor: Actor, mode: Mode, ask: SendAsk): Promise<Posted> {
  const { amount, note } = ask
  const { id: userId } = actor.person
  return performAct(tools, actor, {
    kind: 'wallet.send',
    key: `wallet/${userId}/${ask.key}`,
    asked: JSON.stringify(['send', ask.to, String(amount.minor), amount.currency.code, note]),
    pin: ask.pin,
    build: async (tx, person, id) => {
      const recipient = await findRecipient(tx, mode, ask.to)
      if (recipient.id === userId) throw walletError('WALLET_SELF', { param: 'to' })
      const bookId = await ensureBook(tx, mode, amount.currency.code)
      const [from, to] = [walletAccount(userId, bookId), walletAccount(recipient.id, bookId)]
      const move = { id, bookId, note }
      const { minor } = amount
      const [left, came] = [
        walletMove({ ...move, userId, kind: 'sent', amount: -minor, withName: fullNameOf(recipient) }),
        walletMove({ ...move, userId: recipient.id, kind: 'received', amount: minor, withName: fullNameOf(person) }),
      ]
      return { transfers: [{ from, to, amount: amount.minor }], open: [to], documents: [left, came] }
    },
  })
}
