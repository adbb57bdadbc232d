import { parseAmount } from '../currency/amount.ts'
import { findCurrency } from '../currency/store.ts'
import { ensureBook, type Mode } from '../ledger/book.ts'
import type { Posted } from '../ledger/journal.ts'
import type { Funding, FundTools } from '../merchant/fund.ts'
import type { Person } from '../user/store.ts'
import { walletAccount, walletMove } from './store.ts'

export type WalletFunding = Pick<Funding, 'currency' | 'amount' | 'reference'>

/** Records money that a person brought from outside of Scrip, between the treasury that is kept for him and his wallet. */
export async function fundWallet(
  { pool, ledger, newId }: FundTools,
  { id: userId }: Person,
  mode: Mode,
  ask: WalletFunding,
): Promise<Posted> {
  const currency = await findCurrency(pool, ask.currency)
  const { minor: amount } = parseAmount(ask.amount, currency)
  const bookId = await ensureBook(pool, mode, currency.code)
  const wallet = walletAccount(userId, bookId)
  const treasury = { bookId, ownerId: userId, kind: 'treasury' } as const
  const id = newId()
  return ledger.post({
    id,
    kind: 'wallet.fund',
    key: `wallet.fund/${userId}/${ask.reference}`,
    asked: `${currency.code} ${amount}`,
    alternatives: [
      {
        transfers: [{ from: treasury, to: wallet, amount }],
        open: [treasury, wallet],
        documents: [walletMove({ userId, id, bookId, kind: 'funded', amount, note: ask.reference })],
      },
    ],
  })
}
