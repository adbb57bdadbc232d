-- Whom a transaction acts for. The policies of every area compare with it.

-- The environment that a transaction acts for. Rows of an environment are read and written by it alone, whether or not a
-- statement names it: see withEnvironment in base/environment.ts. Unset, no row is visible.
create or replace function scrip_environment() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.environment', true), '')::uuid $$;

-- The user that a transaction acts for, as scrip_environment() for a merchant. Nobody else reads a user's own rows.
create or replace function scrip_user() returns uuid language sql stable as
  $$ select nullif(current_setting('scrip.user', true), '')::uuid $$;
