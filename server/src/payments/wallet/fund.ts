import { parseAmount } from '../../catalogue/currency/amount.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posted } from '../../ledger/journal.ts'
import type { Funding, FundTools } from '../../identity/merchant/fund.ts'
import type { User } from '../../identity/user/store.ts'
import { walletAccount, walletMove } from './store.ts'

export type WalletFunding = Pick<Funding, 'currency' | 'amount' | 'reference'>

/** Records money that a user paid in outside of Scrip, from the user's treasury account to the wallet. */
export async function fundWallet(
  { pool, ledger, newId }: FundTools,
  { id: userId }: User,
  mode: Mode,
  input: WalletFunding,
): Promise<Posted> {
  const currency = await findCurrency(pool, input.currency)
  const { minor: amount } = parseAmount(input.amount, currency)
  const bookId = await ensureBook(pool, mode, currency.code)
  const wallet = walletAccount(userId, bookId)
  const treasury = { bookId, ownerId: userId, kind: 'treasury' } as const
  const id = newId()
  return ledger.post({
    id,
    kind: 'wallet.fund',
    key: `wallet.fund/${userId}/${input.reference}`,
    requestFingerprint: `${currency.code} ${amount}`,
    alternatives: [
      {
        transfers: [{ from: treasury, to: wallet, amount }],
        open: [treasury, wallet],
        documents: [walletMove({ userId, id, bookId, kind: 'funded', amount, note: input.reference })],
      },
    ],
  })
}
