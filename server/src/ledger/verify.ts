import type { Db } from '../base/db.ts'
import { queryTuples, sql } from '../base/sql.ts'

/** Returns one line per inconsistency, and none for a consistent ledger. Reads all rows: not for requests. */
export async function verifyLedger(db: Db): Promise<string[]> {
  const faults = await queryTuples(db, [sql.text], { text: faultsOfLedger })
  return faults.map(([fault]) => fault)
}

const faultsOfLedger = `
    with side as (
      select book_id, from_owner as owner_id, from_kind as kind, -amount as amount from all_transfers
      union all
      select book_id, to_owner, to_kind, amount from all_transfers
    ), moved as (
      select book_id, owner_id, kind, sum(amount) as balance from side group by book_id, owner_id, kind
    ), reserved as (
      select book_id, owner_id, kind, sum(remaining) as held from ledger_holds group by book_id, owner_id, kind
    ), hold_moved as (
      select hold_id, sum(case act when 'reserve' then amount else -amount end) as remaining
      from ledger_hold_moves group by hold_id
    )
    select format('book %s sums to %s', book_id, sum(balance)) as fault
      from ledger_accounts group by book_id having sum(balance) <> 0
    union all
    select format('account %s/%s/%s has %s, its transfers sum to %s', book_id, owner_id, kind, a.balance, coalesce(m.balance, 0))
      from ledger_accounts a full join moved m using (book_id, owner_id, kind)
      where a.balance is distinct from coalesce(m.balance, 0)
    union all
    select format('account %s/%s/%s holds %s, its holds sum to %s', book_id, owner_id, kind, a.held, coalesce(r.held, 0))
      from ledger_accounts a full join reserved r using (book_id, owner_id, kind)
      where a.held is distinct from coalesce(r.held, 0)
    union all
    select format('account %s/%s/%s holds %s of %s', book_id, owner_id, kind, held, balance)
      from ledger_accounts where not may_go_negative and held > balance
    union all
    select format('hold %s has %s left, its moves sum to %s', h.id, h.remaining, coalesce(m.remaining, 0))
      from ledger_holds h left join hold_moved m on m.hold_id = h.id
      where h.remaining is distinct from coalesce(m.remaining, 0)
    union all
    select format('journal %s brings %s into live book %s without a funding or a chain payment', e.journal_id, e.amount, e.book_id)
      from (
        select t.journal_id, t.book_id,
          sum(case when t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end)
            - sum(case when t.to_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end) as amount
        from all_transfers t join ledger_books b on b.id = t.book_id and b.mode = 'live'
        group by t.journal_id, t.book_id) e
      where e.amount > 0
        and e.amount > (select coalesce(sum(f.amount), 0) from ledger_fundings f
          where f.journal_id = e.journal_id and f.book_id = e.book_id)
        and e.amount > (select coalesce(sum(k.amount), 0) from chain_bookings k
          where k.journal_id = e.journal_id and k.book_id = e.book_id)
        and e.amount > (
          select coalesce(sum(case when t.to_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end)
              - sum(case when t.from_kind::text in ('treasury', 'gas', 'purse', 'vault') then t.amount else 0 end), 0)
            from vault_bookings k join all_transfers t on t.journal_id = k.journal_id and t.book_id = e.book_id
            where k.undone_by = e.journal_id)
    union all
    select format('store vouchers and floats of book %s sum to %s', book_id, sum(balance)) from ledger_accounts
      where kind::text in ('store_float', 'store_voucher') group by book_id having sum(balance) <> 0
    union all
    select format('journal %s moves nothing', j.id) from all_journals j
      where j.kind not like 'claim.%' and not exists (select from all_transfers t where t.journal_id = j.id)
        and not exists (select from ledger_hold_moves m where m.journal_id = j.id)
    union all
    select format('the key of journal %s is not registered for it', j.id) from all_journals j
      left join ledger_keys k on k.key_hash = j.key_hash where k.journal_id is distinct from j.id`
