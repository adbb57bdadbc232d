-- Payout files.

-- Rows of all merchants that can be paid: those of files whose outflow was sent. The next rows of every file in turns, so that a long
-- one does not hold up the others.
create or replace function due_payout_rows(asked_at timestamptz, resting uuid[], limit_rows integer)
  returns table (environment_id uuid, id uuid)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select b.environment_id, r.id from payout_batches b
    cross join lateral (
      select w.id, row_number() over (order by w.number) as turn from payout_rows w
        where w.environment_id = b.environment_id and w.batch_id = b.id and w.status = 'waiting' and w.id <> all(resting)
        order by w.number limit limit_rows
    ) r
    where b.finished_at is null and b.created_at <= asked_at and not exists (
      select from outflows o where o.environment_id = b.environment_id and o.id = b.id and o.outcome is distinct from 'done')
    order by r.turn, b.id limit limit_rows;
$$;
revoke execute on function due_payout_rows from public;
grant execute on function due_payout_rows to scrip_server;

drop policy if exists payout_batches_of_environment on payout_batches;
create policy payout_batches_of_environment on payout_batches using (environment_id = scrip_environment()) with check (true);
drop policy if exists payout_rows_of_environment on payout_rows;
create policy payout_rows_of_environment on payout_rows using (environment_id = scrip_environment()) with check (true);
