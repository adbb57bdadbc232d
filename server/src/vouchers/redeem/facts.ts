import { batched, cachedFor } from '../../base/batched.ts'
import type { Clock } from '../../base/clock.ts'
import { type Pool, readTogether } from '../../base/db.ts'
import type { ScripError } from '../../base/errors.ts'
import { findMerchantTerms, listRules, type MerchantTerms, type RuledBook } from '../../catalogue/charge/store.ts'
import { type CatalogueCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { httpError } from '../../http/errors.ts'
import type { JournalRecord } from '../../ledger/decide.ts'
import { type findAnswer, findRecords } from '../../ledger/store.ts'
import { referenceKey } from '../../payments/transaction/reference.ts'
import type { ReadCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { isExpired } from '../voucher/expiry.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { quoteNumber } from './quote.ts'
import { findUsedQuotes } from './quote-store.ts'
import { findVouchers, type Voucher } from '../voucher/store.ts'

/**
 * Everything that decides a request about a voucher, read at one moment. The ledger checks balances again when it
 * posts.
 */
export type Facts = {
  readonly code: ReadCode
  readonly voucher: Voucher | undefined
  readonly merchant: MerchantTerms
  readonly catalogue: readonly CatalogueCurrency[]
  readonly rules: readonly RuledBook[]
  /** The journal already posted under the request's reference. */
  readonly record: JournalRecord | undefined
  /** True if another redemption has used the request's quote. */
  readonly isQuoteUsed: boolean
}

type FactsInput = {
  readonly caller: MerchantCaller
  readonly code: ReadCode
  readonly reference?: string
  readonly quoteId?: string | undefined
}
export type FindFacts = (input: FactsInput) => Promise<Facts>

type FactsTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: KeyRing; readonly settingsMs: number }

/**
 * Requests that arrive together share one round trip to the database. The operator's currencies and fee rules are
 * cached for `settingsMs`.
 */
export function createFindFacts({ pool, clock, keyRing, settingsMs }: FactsTools): FindFacts {
  const readSettings = cachedFor(settingsMs, clock, () =>
    readTogether(pool, (client) => [readCurrencies(client), listRules(client)]),
  )
  return batched(async (inputs: readonly FactsInput[]): Promise<Facts[]> => {
    const at = clock()
    const hashes = inputs.map(({ caller, code }) => keyRing.hashesOf(code, caller.environmentId))
    const keys = inputs.map(({ caller, reference = '' }) => referenceKey(caller.environmentId, reference))
    const environmentIds = inputs.map(({ caller }) => caller.environmentId)
    const quotes = inputs.map(({ quoteId }) => quoteNumber(quoteId))
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
    return inputs.map(({ caller, code }, i) => {
      const found = hashes[i]?.map((hash) => vouchers.get(hash)).find((voucher) => voucher !== undefined)
      const merchant = merchants.get(caller.environmentId)
      if (merchant === undefined) throw new Error('An API key belongs to a missing environment.')
      // Test keys cannot see live vouchers, and live keys cannot see test vouchers.
      const voucher = found?.mode === caller.mode ? found : undefined
      const isQuoteUsed = usedQuotes.has(quotes[i] ?? '')
      return { code, voucher, merchant, catalogue, rules, record: records[i], isQuoteUsed }
    })
  })
}

/**
 * The voucher, if this merchant may redeem it now. Without the secret key, callers get the same error for a voucher
 * that is missing, limited to other merchants, blocked, cancelled or frozen.
 */
export function usableVoucher(facts: Facts, caller: MerchantCaller, at: Date): Voucher {
  const voucher = ownOrPlatformVoucher(facts, caller)
  if (!isAcceptedAt(voucher, caller)) throw hideFault('VOUCHER_ELSEWHERE', caller, facts.code)
  if (isExpired(voucher, at)) throw voucherError('VOUCHER_EXPIRED', { expiredAt: voucher.expiresAt?.toISOString() })
  return voucher
}

/** The voucher of a new request to redeem or hold. `known` is the answer to its reference. */
export function redeemableVoucher(
  facts: Facts,
  caller: MerchantCaller,
  known: ReturnType<typeof findAnswer>,
  at: Date,
): Voucher {
  if (facts.merchant.needsSecret && !caller.hasSecret) throw voucherError('VOUCHER_SECRET_NEEDED')
  const voucher = usableVoucher(facts, caller, at)
  // Only now: callers without a voucher must not learn which references are taken.
  if (known === 'conflict') throw httpError('REFERENCE_TAKEN', { param: 'referenceId' })
  return voucher
}

/**
 * The voucher, if the caller may view it. Expired vouchers are visible; the issuer also sees those limited to other
 * merchants.
 */
export function visibleVoucher(facts: Facts, caller: MerchantCaller): Voucher {
  const voucher = ownOrPlatformVoucher(facts, caller)
  const isIssuer = caller.hasSecret && voucher.environmentId === caller.environmentId
  if (!isIssuer && !isAcceptedAt(voucher, caller)) throw hideFault('VOUCHER_ELSEWHERE', caller, facts.code)
  return voucher
}

/** A store voucher is unknown to other merchants: from the reason they would learn when an unsold card of its shop is sold. */
function ownOrPlatformVoucher(facts: Facts, caller: MerchantCaller): Voucher {
  const { voucher, code } = facts
  if (voucher?.isStore === true && voucher.environmentId !== caller.environmentId) throw missing(code)
  return knownVoucher(facts, caller)
}

/** The voucher, if it exists and is not cancelled, blocked, frozen or a card that was not sold yet. */
export function knownVoucher({ voucher, code }: Pick<Facts, 'voucher' | 'code'>, caller: KeyHolder): Voucher {
  if (voucher === undefined) throw missing(code)
  if (voucher.state === 'closed') throw hideFault('VOUCHER_CANCELLED', caller, code)
  if (voucher.state === 'no_debit') throw hideFault('VOUCHER_BLOCKED', caller, code)
  if (voucher.isFrozen) throw hideFault('VOUCHER_FROZEN', caller, code)
  // Hidden without the secret key: a thief who has copied the codes of unsold cards must not learn when one is sold.
  if (!voucher.isActive) throw hideFault('VOUCHER_INACTIVE', caller, code)
  return voucher
}

function isAcceptedAt({ onlyAt }: Voucher, { environmentId }: MerchantCaller): boolean {
  return onlyAt.length === 0 || onlyAt.includes(environmentId)
}

type KeyHolder = Pick<MerchantCaller, 'hasSecret'>
type Fault = 'VOUCHER_ELSEWHERE' | 'VOUCHER_BLOCKED' | 'VOUCHER_CANCELLED' | 'VOUCHER_FROZEN' | 'VOUCHER_INACTIVE'

/** The real reason for callers with the secret key; "not found" for others. */
export function hideFault(fault: Fault, { hasSecret }: KeyHolder, code: ReadCode): ScripError {
  return hasSecret ? voucherError(fault) : missing(code)
}

/** Depends on the format of the code only: a well-formed code is not found, any other is a typing error. */
function missing({ isOurs, param = 'voucherCode' }: ReadCode): ScripError {
  return isOurs ? voucherError('VOUCHER_NOT_FOUND') : voucherError('VOUCHER_CODE_MISTYPED', { param })
}

export function currencyOf(
  { catalogue }: Pick<Facts, 'catalogue'>,
  voucher: Pick<Voucher, 'currency'>,
): CatalogueCurrency {
  return pickCurrency(catalogue, voucher.currency, 'any')
}
