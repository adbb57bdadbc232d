-- Customers of a merchant's environment, and how many there are.

create table customers (
  environment_id uuid not null references merchant_environments,
  id             uuid not null,
  email          text not null,
  name           text not null,
  -- The e-mail in lower case: one customer each.
  email_key      text not null,
  -- Name and e-mail in lower case without accents, and the digests of every three letters of it, each with the
  -- environment in it, so that a search touches the entries of its own environment only.
  folded         text not null,
  grams          bigint[] not null,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  constraint customers_email unique (environment_id, email_key)
);
create index customers_by_gram on customers using gin (grams) with (fastupdate = off);

-- Counting a million rows takes longer than a request may; so the number is kept.
create table environment_counts (
  environment_id uuid not null references merchant_environments,
  counted        text not null check (counted in ('customers')),
  total          bigint not null check (total >= 0),
  primary key (environment_id, counted)
);

alter table customers enable row level security;
create policy customers_of_environment on customers using (environment_id = scrip_environment());
alter table environment_counts enable row level security;
create policy environment_counts_of_environment on environment_counts using (environment_id = scrip_environment());

-- Under a policy PostgreSQL uses no index for a condition that could leak what it hides, and containment of arrays is such
-- a one. This asks as the owner, for the transaction's own environment and no other. It is planned for each search anew:
-- what few customers contain is looked up, what many contain is found by walking from the newest.
create function search_customers(wanted bigint[], term text, limit_rows integer)
  returns table (id uuid, email text, name text)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query execute
    'select c.id, c.email, c.name from customers c
     where c.environment_id = $1 and c.grams @> $2 and strpos(c.folded, $3) > 0 order by c.id desc limit $4'
    using scrip_environment(), wanted, term, limit_rows;
end $$;
revoke execute on function search_customers from public;

grant select, insert, delete on customers to scrip_server;
grant update (email, name, email_key, folded, grams) on customers to scrip_server;
grant select, insert, update on environment_counts to scrip_server;
grant execute on function search_customers to scrip_server;
