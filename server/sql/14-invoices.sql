-- Invoices.

-- The oldest that waits for money, of each merchant that wants it paid automatically and each currency: one that is not covered keeps
-- back those that were approved later.
create or replace function due_invoices(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select first.environment_id, first.id from (
    select distinct on (i.environment_id, i.book_id) i.environment_id, i.id, i.decided_at, i.book_id, i.total
    from invoices i join merchant_environments e on e.id = i.environment_id and e.pays_invoices
    where i.status = 'Approved' and i.paid_at is null and i.decided_at <= asked_at
    order by i.environment_id, i.book_id, i.decided_at, i.id
  ) first
  join ledger_accounts a on a.owner_id = first.environment_id and a.kind = 'merchant' and a.book_id = first.book_id
  where a.balance - a.held >= first.total and first.id <> all(resting) order by first.decided_at limit limit_rows;
$$;
revoke execute on function due_invoices from public;
grant execute on function due_invoices to scrip_server;

drop policy if exists invoice_currencies_of_environment on invoice_currencies;
create policy invoice_currencies_of_environment on invoice_currencies using (environment_id = scrip_environment());
drop policy if exists invoice_years_of_environment on invoice_years;
create policy invoice_years_of_environment on invoice_years using (environment_id = scrip_environment());
drop policy if exists invoices_of_environment on invoices;
create policy invoices_of_environment on invoices using (environment_id = scrip_environment());
drop policy if exists invoice_items_of_environment on invoice_items;
create policy invoice_items_of_environment on invoice_items using (environment_id = scrip_environment());
