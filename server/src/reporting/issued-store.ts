import type { Tx } from '../base/db.ts'
import { list, select, selectValue, sql } from '../base/sql.ts'
import { transactions } from '../payments/transaction/store.ts'
import { readHistory } from '../vouchers/voucher/history-store.ts'
import { listOwnVouchers, type OwnVoucher } from '../vouchers/voucher/store.ts'
import { stateOf } from '../vouchers/voucher/to-wire.ts'
import { readTail } from './search.ts'
import type { IssuedState } from './wire.ts'

export function stateOfIssued(voucher: OwnVoucher, at: Date): IssuedState {
  const state = stateOf(voucher, at)
  return state === 'open' && voucher.balance === 0n ? 'used' : state
}

export type IssuedFilter = { readonly search?: string | undefined; readonly state?: IssuedState | undefined }

// Vouchers that a filter scans per page.
const scanMax = 500

/** Newest first. A short or empty page can still have a next cursor. */
export async function findIssued(
  tx: Tx,
  environmentId: string,
  { search, state }: IssuedFilter,
  before: string,
  limit: number,
  at: Date,
): Promise<{ vouchers: OwnVoucher[]; next: string }> {
  // One voucher more than a page tells whether there is a next page.
  const scan = state === undefined ? limit + 1 : Math.max(scanMax, limit + 1)
  const ids = await findIds(tx, environmentId, { search, state }, before, scan)
  const which = ids === undefined ? { before, limit: scan } : { ids }
  const read = await listOwnVouchers(tx, environmentId, which, at)
  const wanted = state === undefined ? read : read.filter((voucher) => stateOfIssued(voucher, at) === state)
  const vouchers = wanted.slice(0, limit)
  const last = wanted.length > limit ? vouchers.at(-1) : read.length === scan ? read.at(-1) : undefined
  return { vouchers, next: last?.id ?? '' }
}

const plainIds = list({ id: sql.uuid`id` })
const voucherIds = list({ id: sql.uuid`v.id` })

/** The ids of candidates, if an index can find them. Undefined: scan all. */
async function findIds(
  tx: Tx,
  environmentId: string,
  { search, state }: IssuedFilter,
  before: string,
  limit: number,
): Promise<string[] | undefined> {
  const idsOf = async (rows: Promise<{ id: string }[]>) => (await rows).map(({ id }) => id)
  const typed = search?.trim() ?? ''
  if (typed.includes('@'))
    return idsOf(select(tx)`
      select ${plainIds} from vouchers_for_address(${typed}, ${before}, ${limit}) as id`)
  if (typed !== '')
    return idsOf(select(tx)`
      select ${plainIds} from vouchers where environment_id = ${environmentId} and code_tail = ${readTail(typed) ?? ''}
        and id < ${before} order by id desc limit ${limit}`)
  if (state === 'frozen')
    return idsOf(select(tx)`
      select ${voucherIds} from voucher_pins p join vouchers v on v.id = p.voucher_id and v.environment_id = ${environmentId}
        where p.wrong_in_all >= 10 and v.id < ${before} order by v.id desc limit ${limit}`)
  if (state === 'blocked')
    return idsOf(select(tx)`
      select ${voucherIds} from ledger_accounts a join vouchers v on v.id = a.owner_id and v.environment_id = ${environmentId}
        where a.state = 'no_debit' and v.id < ${before} order by v.id desc limit ${limit}`)
  return undefined
}

export type ActivityEntry = {
  readonly at: Date
  readonly kind: string
  readonly amount: bigint | null
  readonly charge: bigint
  readonly where: string
  readonly reason: string
  readonly reference: string
}

const ownColumns = list({
  id: sql.uuid`w.id`,
  reference: sql.text`coalesce(t.reference, '')`,
  reason: sql.text`coalesce(m.reason, '')`,
})
const eventColumns = list({ type: sql.text`type`, at: sql.timestamptz`created_at` })

// Enough for any real voucher.
const activityMax = 200

/** The activity of a voucher, oldest first. Events without a balance change are stored for 30 days. */
export async function readActivity(tx: Tx, environmentId: string, voucher: OwnVoucher): Promise<ActivityEntry[]> {
  const moves = await readHistory(tx, voucher.id, activityMax)
  const own = await select(tx)`
    select ${ownColumns}
      from unnest(${moves.map(({ id }) => id)}::uuid[]) as w (id)
      left join all_transactions t on t.environment_id = ${environmentId} and t.id = w.id
      left join voucher_moves m on m.voucher_id = ${voucher.id} and m.id = w.id`
  const events = await select(tx)`
    select ${eventColumns} from ledger_outbox
      where environment_id = ${environmentId} and journal_id is null and object_id = ${voucher.id} order by txid, id`
  const issuedAs = await selectValue(tx)`
    select ${transactions.types.reference`reference`} from all_transactions where environment_id = ${environmentId} and id = ${voucher.id}`
  const unmoved = { amount: null, charge: 0n, where: '', reason: '', reference: '' }
  return [
    {
      ...unmoved,
      kind: 'issued',
      at: voucher.createdAt,
      amount: voucher.amount,
      reference: issuedAs ?? '',
    },
    ...moves.toReversed().map(({ id, kind, amount, charge, createdAt, merchantName }) => {
      const { reference = '', reason = '' } = own.find((each) => each.id === id) ?? {}
      return { kind, amount, charge, at: createdAt, where: merchantName, reference, reason }
    }),
    ...events.map(({ type, at }) => ({ ...unmoved, kind: type.replace('voucher.', ''), at })),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime())
}

type Relations = {
  /** Names of the merchants where it can be redeemed. Empty means everywhere. */
  readonly onlyAt: string[]
  /** The id of the lost voucher that it replaces, or empty. */
  readonly replaces: string
}

const placeColumns = list({ name: sql.text`coalesce(nullif(m.trading_name, ''), m.company_name)` })

export async function readRelations(tx: Tx, environmentId: string, voucher: OwnVoucher): Promise<Relations> {
  const places = await select(tx)`
    select ${placeColumns} from merchant_environments e
      join merchants m on m.id = e.merchant_id where e.id = any(${voucher.onlyAt}::uuid[]) order by name`
  const replaced = await selectValue(tx)`
    select ${sql.uuid`id`} from vouchers where environment_id = ${environmentId} and replaced_by = ${voucher.id}`
  return { onlyAt: places.map(({ name }) => name), replaces: replaced ?? '' }
}
