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

-- Deletes files whose invoice was not sent within a day, and the counts of days that are over. Returns the number of files.
create or replace function forget_invoice_uploads(asked_at timestamptz, files_max integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  forgotten integer;
begin
  delete from invoice_attachments a using (
    select environment_id, id from invoice_attachments
    where invoice_id is null and created_at < asked_at - interval '1 day' order by created_at limit files_max
  ) old
  -- Compared again, because the invoice may have been sent meanwhile.
  where a.environment_id = old.environment_id and a.id = old.id and a.invoice_id is null;
  get diagnostics forgotten = row_count;
  delete from invoice_upload_days where day < extract(epoch from asked_at) / 86400 - 2;
  return forgotten;
end $$;
revoke execute on function forget_invoice_uploads from public;
grant execute on function forget_invoice_uploads to scrip_server;

drop policy if exists invoice_currencies_of_environment on invoice_currencies;
create policy invoice_currencies_of_environment on invoice_currencies using (environment_id = scrip_environment());
drop policy if exists invoice_years_of_environment on invoice_years;
create policy invoice_years_of_environment on invoice_years using (environment_id = scrip_environment());
drop policy if exists invoices_of_environment on invoices;
create policy invoices_of_environment on invoices using (environment_id = scrip_environment());
drop policy if exists invoice_items_of_environment on invoice_items;
create policy invoice_items_of_environment on invoice_items using (environment_id = scrip_environment());
drop policy if exists invoice_taxes_of_environment on invoice_taxes;
create policy invoice_taxes_of_environment on invoice_taxes using (environment_id = scrip_environment());
drop policy if exists invoice_upload_days_of_environment on invoice_upload_days;
create policy invoice_upload_days_of_environment on invoice_upload_days using (environment_id = scrip_environment());
-- A file that has joined an invoice stays there.
drop policy if exists invoice_attachments_read on invoice_attachments;
create policy invoice_attachments_read on invoice_attachments for select using (environment_id = scrip_environment());
drop policy if exists invoice_attachments_upload on invoice_attachments;
create policy invoice_attachments_upload on invoice_attachments for insert
  with check (environment_id = scrip_environment() and invoice_id is null);
drop policy if exists invoice_attachments_join on invoice_attachments;
create policy invoice_attachments_join on invoice_attachments for update
  using (environment_id = scrip_environment() and invoice_id is null) with check (environment_id = scrip_environment());
