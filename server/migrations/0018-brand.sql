-- The brand of an environment: what customers see of a shop besides its name.

alter table merchant_environments
  -- The colour of buttons and lines as #rrggbb. Empty: the platform's.
  add column accent text not null default '' check (accent ~ '^(#[0-9a-f]{6})?$'),
  -- The postal address, in lines.
  add column address text not null default '' check (length(address) <= 300),
  add column tax_number text not null default '' check (length(tax_number) <= 40),
  -- The beginning of the SHA-256 of the logo. Empty: there is none.
  add column logo_version text not null default '' check (logo_version ~ '^([0-9a-f]{32})?$');
grant update (accent, address, tax_number, logo_version) on merchant_environments to scrip_server;

-- The logo of an environment. In a table of its own, because environments are read with every request.
create table merchant_logos (
  environment_id uuid primary key references merchant_environments,
  -- PNG of at most 512 x 512 pixels, encoded by the server: never the file that was uploaded.
  image          bytea not null check (length(image) between 1 and 2000000),
  -- The same for emails, at most 400 x 96 pixels.
  small_image    bytea not null check (length(small_image) between 1 and 400000)
);
alter table merchant_logos enable row level security;
-- An owner replaces and removes the logo.
grant select, insert, delete on merchant_logos to scrip_server;
grant update (image, small_image) on merchant_logos to scrip_server;
