import type { Tx } from '../../base/db.ts'
import { type CatalogueCurrency, listTokens } from '../../catalogue/currency/store.ts'
import { unitOf } from '../../catalogue/charge/gas.ts'
import { depositError } from './errors.ts'
import { type Case, type Deposit, type DepositPayment, findCase, findDeposit, listPayments } from './store.ts'

/** A payment, valued in the currency of its token. */
type ShownPayment = DepositPayment & {
  /** Undefined for a token that is not in the catalogue. */
  readonly value: { readonly minor: bigint; readonly currency: CatalogueCurrency } | undefined
}

export type ShownCase = {
  readonly found: Case
  readonly deposit: Deposit
  readonly payments: readonly ShownPayment[]
}

/** An unmatched deposit with its request and the payments to its address. */
export async function readCase(tx: Tx, id: string): Promise<ShownCase> {
  const found = await findCase(tx, id)
  const deposit = found && (await findDeposit(tx, { id: found.depositId }))
  if (found === undefined || deposit === undefined) throw depositError('CASE_NOT_FOUND')
  const payments = await listPayments(tx, deposit.id)
  const tokens = await listTokens(tx, deposit.networkId)
  const valued = payments.map((payment) => {
    const known = tokens.find(({ address }) => address === payment.token)
    if (known === undefined) return { ...payment, value: undefined }
    const { currency, decimals } = known
    return { ...payment, value: { minor: payment.amount * unitOf(currency, decimals), currency } }
  })
  return { found, deposit, payments: valued }
}
