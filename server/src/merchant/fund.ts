import type { Pool } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { parseAmount } from '../currency/amount.ts'
import { findCurrency } from '../currency/store.ts'
import { ensureBook } from '../ledger/book.ts'
import type { Journal, Posted } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/post.ts'
import { merchantError } from './errors.ts'
import type { Environment } from './keys.ts'

export type FundTools = { readonly pool: Pool; readonly ledger: Ledger; readonly newId: NewId }

export type Funding = {
  readonly direction: 'in' | 'out'
  readonly account: 'balance' | 'admin'
  readonly currency: string
  /** Major units, as a person writes them. */
  readonly amount: string
  /** The bank's. The same one twice moves money once. */
  readonly reference: string
}

/** Records money that came in outside of Scrip, between the merchant's treasury and its account. */
export async function fundMerchant(
  tools: FundTools,
  shop: Environment,
  ask: Omit<Funding, 'direction'>,
): Promise<Posted> {
  return tools.ledger.post(await fundingOf(tools, shop, { ...ask, direction: 'in' }))
}

/** The journal of money that comes in, or goes out. */
export async function fundingOf(
  tools: Pick<FundTools, 'pool' | 'newId'>,
  { environmentId, mode }: Environment,
  ask: Funding,
): Promise<Journal> {
  const currency = await findCurrency(tools.pool, ask.currency, ask.direction === 'in' ? 'offered' : 'any')
  const { minor: amount } = parseAmount(ask.amount, currency)
  if (ask.reference.trim() === '') throw merchantError('REFERENCE_MISSING', { param: 'reference' })
  const bookId = await ensureBook(tools.pool, mode, currency.code)
  const own = {
    bookId,
    ownerId: environmentId,
    kind: ask.account === 'balance' ? 'merchant' : 'merchant_admin',
  } as const
  const treasury = { bookId, ownerId: environmentId, kind: 'treasury' } as const
  const [from, to] = ask.direction === 'in' ? [treasury, own] : [own, treasury]
  return {
    id: tools.newId(),
    kind: ask.direction === 'in' ? 'merchant.fund' : 'merchant.withdraw',
    key: `merchant.${ask.direction}/${environmentId}/${ask.reference}`,
    asked: `${ask.account} ${currency.code} ${amount}`,
    alternatives: [{ transfers: [{ from, to, amount }], open: [own, treasury] }],
  }
}
