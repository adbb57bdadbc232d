import { withEnvironment } from '../../base/environment.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { ensureBook } from '../../ledger/book.ts'
import { readAvailable } from '../../ledger/store.ts'
import { userError } from '../../identity/user/errors.ts'
import { forecastOutflow, readLimits } from '../outflow/preview.ts'
import type { OutflowForecast } from '../outflow/wire.ts'
import { findRecipient, type Recipient } from './find-recipient.ts'
import type { PayoutInput } from './pay-out.ts'
import { convertNow } from './postings.ts'

export type PayoutPreview = {
  readonly recipient: Recipient
  readonly amount: bigint
  readonly from: CatalogueCurrency
  readonly gets: bigint
  readonly to: CatalogueCurrency
  readonly available: bigint
  readonly outflow: OutflowForecast
  readonly waitHours: number
}

/** Who would get how much, and what the outflow rule would decide now. Nothing is reserved. */
export async function previewPayout(
  tools: PostTools,
  caller: MerchantCaller,
  input: Pick<PayoutInput, 'amount' | 'from' | 'to' | 'identifier'>,
): Promise<PayoutPreview> {
  const { pool, clock } = tools
  const { environmentId, mode } = caller
  const from = await findCurrency(pool, input.from, 'any', 'fromCurrencyAbbreviation')
  const to = await findCurrency(pool, input.to, 'any', 'toCurrencyAbbreviation')
  pickCurrency([from], from.code, 'offered', 'fromCurrencyAbbreviation')
  pickCurrency([to], to.code, 'offered', 'toCurrencyAbbreviation')
  const { minor: amount } = parseAmount(input.amount, from)
  refuseDust({ minor: amount, currency: from }, from)
  const recipient = await findRecipient(pool, caller, input.identifier)
  if (recipient === undefined) throw userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
  const bookId = await ensureBook(pool, mode, from.code)
  const { limits, gets } = await withEnvironment(pool, environmentId, async (tx) => ({
    limits: await readLimits(tools, tx, environmentId, from),
    gets: (await convertNow(tools, tx, { currency: from.code, toCurrency: to.code, amount })).gets,
  }))
  const { isKnown } = recipient
  return {
    ...{ recipient, amount, from, gets, to },
    available: await readAvailable(pool, { bookId, ownerId: environmentId, kind: 'merchant' }, clock()),
    outflow: forecastOutflow(limits, { amount, currency: from, isKnownRecipient: isKnown }),
    waitHours: isKnown ? 0 : limits.rules.newRecipientHours,
  }
}
