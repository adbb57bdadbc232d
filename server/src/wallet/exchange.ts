import { ensureBook, type Mode } from '../ledger/book.ts'
import { payAcross } from '../ledger/exchange.ts'
import type { Posted } from '../ledger/journal.ts'
import { type Actor, type ActTools, performAct } from './act.ts'
import { openQuote, type Quote, type QuoteTools } from './quote.ts'
import { walletAccount, walletMove } from './store.ts'

export type ExchangeAsk = { readonly quoteId: string; readonly pin?: string | undefined }

/** Changes a person's own money at the rate that was quoted, once for each quote. The desk is his own, as each merchant has one. */
export async function exchangeMoney(
  tools: ActTools & QuoteTools,
  actor: Actor,
  mode: Mode,
  { quoteId, pin }: ExchangeAsk,
): Promise<Posted> {
  const { id: userId } = actor.person
  return performAct(tools, actor, {
    kind: 'wallet.exchange',
    key: `wallet/${userId}/quote/${quoteId}`,
    asked: 'exchange',
    pin,
    build: async (tx, _, id) => {
      const { pays, gets, rate }: Quote = openQuote(tools, userId, 'exchange', quoteId)
      const [from, to] = [
        walletAccount(userId, await ensureBook(tx, mode, pays.currency.code)),
        walletAccount(userId, await ensureBook(tx, mode, gets.currency.code)),
      ]
      const move = { userId, id, kind: 'exchanged', rate } as const
      return {
        ...payAcross(userId, { account: from, amount: pays.minor }, { account: to, amount: gets.minor }),
        documents: [
          walletMove({ ...move, bookId: from.bookId, amount: -pays.minor }),
          walletMove({ ...move, bookId: to.bookId, amount: gets.minor }),
        ],
      }
    },
  })
}
