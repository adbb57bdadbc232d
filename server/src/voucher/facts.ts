import { batched } from '../base/batched.ts'
import type { Clock } from '../base/clock.ts'
import { type Pool, readTogether } from '../base/db.ts'
import { listRules, type RuledBook } from '../charge/store.ts'
import { type CatalogueCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { JournalRecord } from '../ledger/decide.ts'
import { findRecords } from '../ledger/store.ts'
import { referenceKey } from '../transaction/reference.ts'
import { voucherError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import { findRedeemingMerchants, findVouchers, type RedeemingMerchant, type Voucher } from './store.ts'

/** Everything that a request about a voucher is decided by, as it was at one moment. For money the posting decides. */
export type Facts = {
  readonly voucher: Voucher | undefined
  readonly merchant: RedeemingMerchant
  readonly catalogue: readonly CatalogueCurrency[]
  readonly rules: readonly RuledBook[]
  /** What was posted under the request's reference before. */
  readonly record: JournalRecord | undefined
}

type FactsAsk = { readonly caller: MerchantCaller; readonly code: string; readonly reference?: string }
export type FindFacts = (ask: FactsAsk) => Promise<Facts>

/** Look-ups of requests that arrive together are one round to the database. */
export function createFindFacts({ pool, clock, keyRing }: { pool: Pool; clock: Clock; keyRing: KeyRing }): FindFacts {
  return batched(async (asks: readonly FactsAsk[]): Promise<Facts[]> => {
    const hashes = asks.map(({ code }) => keyRing.hashesOf(code))
    const keys = asks.map(({ caller, reference = '' }) => referenceKey(caller.environmentId, reference))
    const environmentIds = asks.map(({ caller }) => caller.environmentId)
    const [vouchers, records, merchants, catalogue, rules] = await readTogether(pool, (client) => [
      findVouchers(client, [...new Set(hashes.flat())]),
      findRecords(client, keys),
      findRedeemingMerchants(client, environmentIds, clock()),
      readCurrencies(client),
      listRules(client),
    ])
    return asks.map(({ caller }, i) => {
      const found = hashes[i]?.map((hash) => vouchers.get(hash)).find((voucher) => voucher !== undefined)
      const merchant = merchants.get(caller.environmentId)
      if (merchant === undefined) throw new Error('A key belongs to an environment that is not there.')
      // A test key does not see that there is such a live voucher, nor the other way round.
      const voucher = found?.mode === caller.mode ? found : undefined
      return { voucher, merchant, catalogue, rules, record: records[i] }
    })
  })
}

/**
 * The voucher, if it may be used here and now. Whoever has no secret key hears the same of one that is missing, meant for
 * other merchants, blocked, cancelled or frozen.
 */
export function usableVoucher({ voucher }: Facts, caller: MerchantCaller, at: Date, which?: 'also expired'): Voucher {
  if (voucher === undefined) throw voucherError('VOUCHER_NOT_FOUND')
  const fault = faultOf(voucher, caller.environmentId)
  if (fault !== undefined) throw voucherError(caller.hasSecret ? fault : 'VOUCHER_NOT_FOUND')
  if (which === undefined && voucher.expiresAt !== null && voucher.expiresAt <= at)
    throw voucherError('VOUCHER_EXPIRED', { expiredAt: voucher.expiresAt.toISOString() })
  return voucher
}

function faultOf({ onlyAt, state, isFrozen }: Voucher, environmentId: string) {
  if (onlyAt.length > 0 && !onlyAt.includes(environmentId)) return 'VOUCHER_ELSEWHERE'
  if (state === 'closed') return 'VOUCHER_CANCELLED'
  if (state === 'no_debit') return 'VOUCHER_BLOCKED'
  return isFrozen ? 'VOUCHER_FROZEN' : undefined
}

export function currencyOf({ catalogue }: Facts, voucher: Voucher): CatalogueCurrency {
  return pickCurrency(catalogue, voucher.currency, 'any')
}
