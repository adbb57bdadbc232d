-- Customers.

-- Under a policy PostgreSQL uses no index for a condition that could leak what it hides, and containment of arrays is one.
-- This reads as the owner, for the transaction's own environment and no other. It is planned again for each search: rare terms
-- are looked up, and frequent ones are found by walking from the newest customer.
create or replace function search_customers(wanted bigint[], term text, limit_rows integer)
  returns table (id uuid, email text, name text)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query execute
    'select c.id, c.email, c.name from customers c
     where c.environment_id = $1 and c.grams @> $2 and strpos(c.folded, $3) > 0 order by c.id desc limit $4'
    using scrip_environment(), wanted, term, limit_rows;
end $$;
revoke execute on function search_customers from public;
grant execute on function search_customers to scrip_server;

drop policy if exists customers_of_environment on customers;
create policy customers_of_environment on customers using (environment_id = scrip_environment());
drop policy if exists environment_counts_of_environment on environment_counts;
create policy environment_counts_of_environment on environment_counts using (environment_id = scrip_environment());
