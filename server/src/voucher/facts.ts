import { batched, keptFor } from '../base/batched.ts'
import type { Clock } from '../base/clock.ts'
import { type Pool, readTogether } from '../base/db.ts'
import type { ScripError } from '../base/errors.ts'
import { findMerchantTerms, listRules, type MerchantTerms, type RuledBook } from '../charge/store.ts'
import { type CatalogueCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { JournalRecord } from '../ledger/decide.ts'
import { findRecords } from '../ledger/store.ts'
import { referenceKey } from '../transaction/reference.ts'
import type { ReadCode } from './code.ts'
import { voucherError } from './errors.ts'
import { isExpired } from './expiry.ts'
import type { KeyRing } from './key-ring.ts'
import { quoteNumber } from './quote.ts'
import { findUsedQuotes } from './quote-store.ts'
import { findVouchers, type Voucher } from './store.ts'

/** Everything that a request about a voucher is decided by, as it was at one moment. For money the posting decides. */
export type Facts = {
  readonly code: ReadCode
  readonly voucher: Voucher | undefined
  readonly merchant: MerchantTerms
  readonly catalogue: readonly CatalogueCurrency[]
  readonly rules: readonly RuledBook[]
  /** What was posted under the request's reference before. */
  readonly record: JournalRecord | undefined
  /** The request names a quote that another redemption has used. */
  readonly isQuoteUsed: boolean
}

type FactsAsk = {
  readonly caller: MerchantCaller
  readonly code: ReadCode
  readonly reference?: string
  readonly quoteId?: string | undefined
}
export type FindFacts = (ask: FactsAsk) => Promise<Facts>

type FactsTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: KeyRing; readonly settingsMs: number }

/**
 * Look-ups of requests that arrive together are one round to the database. The operator's settings, currencies and rules, are
 * read at most once in `settingsMs`.
 */
export function createFindFacts({ pool, clock, keyRing, settingsMs }: FactsTools): FindFacts {
  const readSettings = keptFor(settingsMs, clock, () =>
    readTogether(pool, (client) => [readCurrencies(client), listRules(client)]),
  )
  return batched(async (asks: readonly FactsAsk[]): Promise<Facts[]> => {
    const at = clock()
    const hashes = asks.map(({ caller, code }) => keyRing.hashesOf(code, caller.environmentId))
    const keys = asks.map(({ caller, reference = '' }) => referenceKey(caller.environmentId, reference))
    const environmentIds = asks.map(({ caller }) => caller.environmentId)
    const quotes = asks.map(({ quoteId }) => quoteNumber(quoteId))
    const [[catalogue, rules], [vouchers, records, merchants, usedQuotes]] = await Promise.all([
      readSettings(),
      readTogether(pool, (client) => [
        findVouchers(client, hashes, at),
        findRecords(client, keys),
        findMerchantTerms(client, environmentIds, at),
        findUsedQuotes(
          client,
          quotes.filter((number) => number !== undefined),
        ),
      ]),
    ])
    return asks.map(({ caller, code }, i) => {
      const found = hashes[i]?.map((hash) => vouchers.get(hash)).find((voucher) => voucher !== undefined)
      const merchant = merchants.get(caller.environmentId)
      if (merchant === undefined) throw new Error('A key belongs to an environment that is not there.')
      // A test key does not see that there is such a live voucher, nor the other way round.
      const voucher = found?.mode === caller.mode ? found : undefined
      const isQuoteUsed = usedQuotes.has(quotes[i] ?? '')
      return { code, voucher, merchant, catalogue, rules, record: records[i], isQuoteUsed }
    })
  })
}

/**
 * The voucher, if it may be used here and now. Whoever has no secret key hears the same of one that is missing, meant for
 * other merchants, blocked, cancelled or frozen.
 */
export function usableVoucher(facts: Facts, caller: MerchantCaller, at: Date): Voucher {
  const voucher = knownVoucher(facts, caller)
  if (!isAt(voucher, caller)) throw hideFault('VOUCHER_ELSEWHERE', caller, facts.code)
  if (isExpired(voucher, at)) throw voucherError('VOUCHER_EXPIRED', { expiredAt: voucher.expiresAt?.toISOString() })
  return voucher
}

/** The voucher, if it may be looked at: an expired one too, and by who issued it also one that is for other merchants. */
export function visibleVoucher(facts: Facts, caller: MerchantCaller): Voucher {
  const voucher = knownVoucher(facts, caller)
  const isIssuer = caller.hasSecret && voucher.environmentId === caller.environmentId
  if (!isIssuer && !isAt(voucher, caller)) throw hideFault('VOUCHER_ELSEWHERE', caller, facts.code)
  return voucher
}

/** Whatever it is good for, a voucher that is there and alive. */
export function knownVoucher({ voucher, code }: Pick<Facts, 'voucher' | 'code'>, caller: Asker): Voucher {
  if (voucher === undefined) throw missing(code)
  if (voucher.state === 'closed') throw hideFault('VOUCHER_CANCELLED', caller, code)
  if (voucher.state === 'no_debit') throw hideFault('VOUCHER_BLOCKED', caller, code)
  if (voucher.isFrozen) throw hideFault('VOUCHER_FROZEN', caller, code)
  return voucher
}

function isAt({ onlyAt }: Voucher, { environmentId }: MerchantCaller): boolean {
  return onlyAt.length === 0 || onlyAt.includes(environmentId)
}

type Asker = Pick<MerchantCaller, 'hasSecret'>
type Fault = 'VOUCHER_ELSEWHERE' | 'VOUCHER_BLOCKED' | 'VOUCHER_CANCELLED' | 'VOUCHER_FROZEN'

/** The real reason for who shows the secret key, and none for others. */
export function hideFault(fault: Fault, { hasSecret }: Asker, code: ReadCode): ScripError {
  return hasSecret ? voucherError(fault) : missing(code)
}

/** Told by the form of the code alone: one of ours, rightly typed, is not there; any other is taken for a typing error. */
function missing({ isOurs }: ReadCode): ScripError {
  return isOurs ? voucherError('VOUCHER_NOT_FOUND') : voucherError('VOUCHER_CODE_MISTYPED', { param: 'voucherCode' })
}

export function currencyOf({ catalogue }: Facts, voucher: Voucher): CatalogueCurrency {
  return pickCurrency(catalogue, voucher.currency, 'any')
}
