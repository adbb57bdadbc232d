import type { Pool } from '../../base/db.ts'
import type { NewId } from '../../base/id.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Journal, Posted } from '../../ledger/journal.ts'
import type { Ledger } from '../../ledger/post.ts'
import { merchantError } from './errors.ts'
import type { Environment } from './keys.ts'

export type FundTools = { readonly pool: Pool; readonly ledger: Ledger; readonly newId: NewId }

export type Funding = {
  readonly direction: 'in' | 'out'
  readonly account: 'balance' | 'admin'
  readonly currency: string
  /** Major units, as a decimal string. */
  readonly amount: string
  /** The bank's reference. Using it twice moves the money once. */
  readonly reference: string
}

/** Records money that came in outside of Scrip, from the merchant's treasury to its account. */
export async function fundMerchant(
  tools: FundTools,
  shop: Environment,
  input: Omit<Funding, 'direction'>,
): Promise<Posted> {
  return tools.ledger.post(await fundingOf(tools, shop, { ...input, direction: 'in' }))
}

/** The journal of a deposit or withdrawal outside of Scrip. */
export async function fundingOf(
  tools: Pick<FundTools, 'pool' | 'newId'>,
  { environmentId, mode }: Environment,
  input: Funding,
): Promise<Journal> {
  const currency = await findCurrency(tools.pool, input.currency, input.direction === 'in' ? 'offered' : 'any')
  const { minor: amount } = parseAmount(input.amount, currency)
  if (input.reference.trim() === '') throw merchantError('REFERENCE_MISSING', { param: 'reference' })
  const bookId = await ensureBook(tools.pool, mode, currency.code)
  const own = {
    bookId,
    ownerId: environmentId,
    kind: input.account === 'balance' ? 'merchant' : 'merchant_admin',
  } as const
  const treasury = { bookId, ownerId: environmentId, kind: 'treasury' } as const
  const [from, to] = input.direction === 'in' ? [treasury, own] : [own, treasury]
  return {
    id: tools.newId(),
    kind: input.direction === 'in' ? 'merchant.fund' : 'merchant.withdraw',
    key: `merchant.${input.direction}/${environmentId}/${input.reference}`,
    requestFingerprint: `${input.account} ${currency.code} ${amount}`,
    alternatives: [{ transfers: [{ from, to, amount }], open: [own, treasury] }],
  }
}
