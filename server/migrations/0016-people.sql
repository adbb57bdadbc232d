-- People: who they are, how they sign in, what they did. The tables of a sign-in are written by better-auth: see user/auth.ts.

-- Somebody belongs to a realm: live and test wallets, or the staff of merchants and of the platform. Nothing passes between realms:
-- a test key never meets a real person, and whoever pays in a shop does not run it by the same sign-in.
create table users (
  id                 uuid primary key,
  realm              text not null check (realm in ('live', 'test', 'staff')),
  email              text not null check (email = lower(email)),
  email_verified     boolean not null default true,
  -- Staff have none.
  username           text check (username ~ '^[a-z0-9_.]{3,30}$' and username ~ '[a-z]'),
  -- E.164.
  phone              text check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  surname            text not null,
  other_names        text not null,
  avatar             text,
  language           text not null default 'en' check (language in ('en', 'fr')),
  external_id        text not null default '',
  reg_channel        text not null default 'WEB',
  is_active          boolean not null default true,
  -- Merchants find him by e-mail, username or phone.
  is_discoverable    boolean not null default true,
  -- 1: his address is his. 2: the operator knows who he is.
  level              smallint not null default 1 check (level in (1, 2)),
  is_operator        boolean not null default false check (not is_operator or realm = 'staff'),
  two_factor_enabled boolean not null default false,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint users_email unique (realm, email),
  constraint users_username unique (realm, username),
  constraint users_phone unique (realm, phone)
);

-- A sign-in looks for an address in its own realm only.
create view live_users as select * from users where realm = 'live';
create view test_users as select * from users where realm = 'test';
create view staff_users as select * from users where realm = 'staff';

create table user_logins (
  id          uuid primary key,
  user_id     uuid not null references users,
  account_id  uuid not null,
  provider_id text not null check (provider_id = 'credential'),
  -- Argon2id.
  password    text not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  constraint user_logins_one unique (user_id, provider_id)
);

-- The token alone opens nothing: a browser shows it signed.
create table user_sessions (
  id         uuid primary key,
  user_id    uuid not null references users,
  token      text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  -- It was begun with a passkey, which is worth a pin for a while.
  passkey_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_by_end on user_sessions (expires_at);

create table user_challenges (
  id         uuid primary key,
  identifier text not null,
  value      text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index user_challenges_by_name on user_challenges (identifier);
create index user_challenges_by_end on user_challenges (expires_at);

create table user_passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  name          text,
  public_key    text not null,
  credential_id text not null unique,
  -- Up to 2^32, as a number that the library can compare.
  counter       double precision not null,
  device_type   text not null,
  backed_up     boolean not null,
  transports    text,
  aaguid        text,
  created_at    timestamptz
);
create index user_passkeys_by_user on user_passkeys (user_id);

create table user_two_factors (
  id           uuid primary key,
  user_id      uuid not null references users,
  secret       text not null,
  backup_codes text not null,
  verified     boolean not null,
  failures     integer not null default 0,
  locked_until timestamptz
);
create index user_two_factors_by_user on user_two_factors (user_id);

-- A link in a mail: to sign up, to set a new password, to join a merchant's staff. One is made for every address that asks, whether or
-- not somebody has it, so that neither the answer nor its time tells.
create table user_links (
  -- SHA-256 of the token.
  digest     bytea primary key,
  realm      text not null,
  purpose    text not null check (purpose in ('sign_up', 'reset', 'invite')),
  email      text not null,
  -- What it is for, such as the name and the password's hash of who signs up.
  content    json not null,
  expires_at timestamptz not null
);
create index user_links_by_end on user_links (expires_at);
create index user_links_by_email on user_links (email);

-- As voucher_pins.
create table user_pins (
  user_id      uuid primary key references users,
  key_id       smallint not null,
  digest       bytea not null check (length(digest) = 32),
  wrong_in_row smallint not null default 0 check (wrong_in_row between 0 and 5),
  wrong_in_all smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until timestamptz
);

-- Whom a person does not want to be asked by.
create table user_blocks (
  user_id     uuid not null references users,
  merchant_id uuid not null references merchants,
  created_at  timestamptz not null,
  primary key (user_id, merchant_id)
);

create table merchant_members (
  merchant_id uuid not null references merchants,
  user_id     uuid not null references users,
  role        text not null check (role in ('owner', 'developer', 'cashier', 'accountant')),
  created_at  timestamptz not null,
  primary key (merchant_id, user_id)
);
create index merchant_members_by_user on merchant_members (user_id);

-- Who did what. Written before it is done; without a status it is not known whether it was.
create table acts (
  id          uuid primary key,
  user_id     uuid not null references users,
  -- Whose business it was, if a merchant's.
  merchant_id uuid,
  mode        text check (mode in ('live', 'test')),
  operation   text not null,
  -- What it was done to, as the address named it.
  object      text not null,
  address     text not null,
  status      smallint,
  created_at  timestamptz not null
);
create index acts_by_user on acts (user_id, id);
create index acts_by_merchant on acts (merchant_id, id) where merchant_id is not null;

-- A person's mail belongs to no environment.
alter table mails alter column environment_id drop not null;

-- Nobody signs in by what is over.
create function forget_sign_ins(asked_at timestamptz) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from user_sessions where expires_at < asked_at;
  delete from user_challenges where expires_at < asked_at;
  delete from user_links where expires_at < asked_at;
$$;
revoke execute on function forget_sign_ins from public;
grant execute on function forget_sign_ins to scrip_server;

grant select, insert on users, user_logins, user_pins, user_blocks, merchant_members, acts to scrip_server;
grant select, insert, update, delete on user_sessions, user_challenges, user_passkeys, user_two_factors to scrip_server;
grant select, insert, delete on user_links to scrip_server;
grant select, update on live_users, test_users, staff_users to scrip_server;
grant update (username, phone, surname, other_names, avatar, language, is_active, is_discoverable, level, is_operator,
  two_factor_enabled, updated_at) on users to scrip_server;
grant update (password, updated_at) on user_logins to scrip_server;
grant update (key_id, digest, wrong_in_row, wrong_in_all, locked_until) on user_pins to scrip_server;
grant update (role), delete on merchant_members to scrip_server;
grant delete on user_blocks to scrip_server;
grant update (status) on acts to scrip_server;
