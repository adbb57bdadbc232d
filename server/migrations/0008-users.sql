-- Users and staff: their accounts, sign-ins and recorded actions. better-auth writes the tables of a sign-in: see user/auth.ts.

-- A user belongs to a realm: live wallets, test wallets, or the staff of merchants and of the platform. Nothing passes between
-- realms: a test key never reaches a real user, and a wallet's sign-in never opens a dashboard.
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
  -- Merchants find the user by email, username or phone.
  is_discoverable    boolean not null default true,
  -- 1: the email address is verified. 2: the operator knows the user's identity.
  level              smallint not null default 1 check (level in (1, 2)),
  is_operator        boolean not null default false check (not is_operator or realm = 'staff'),
  two_factor_enabled boolean not null default false,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint users_email unique (realm, email),
  constraint users_username unique (realm, username),
  constraint users_phone unique (realm, phone)
);
grant select, insert on users to scrip_server;
grant update (username, phone, surname, other_names, avatar, language, is_active, is_discoverable, level, is_operator,
  two_factor_enabled, updated_at) on users to scrip_server;

-- Passwords.
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
grant select, insert on user_logins to scrip_server;
grant update (password, updated_at) on user_logins to scrip_server;

-- The token alone authenticates nobody: a browser sends it signed.
create table user_sessions (
  id         uuid primary key,
  user_id    uuid not null references users,
  token      text not null unique,
  -- 12 hours after the sign-in for staff.
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  -- It began with a passkey, which replaces a PIN for a while.
  passkey_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- It began with a PIN at a till of this merchant: good for what a cashier does there, and for nothing else.
  till_of    uuid references merchants
);
create index user_sessions_by_user on user_sessions (user_id);
create index user_sessions_by_end on user_sessions (expires_at);
grant select, insert, update, delete on user_sessions to scrip_server;

-- Open challenges of passkeys and second factors.
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
grant select, insert, update, delete on user_challenges to scrip_server;

-- Passkeys of users.
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
grant select, insert, update, delete on user_passkeys to scrip_server;

-- Second factors: time-based codes and backup codes.
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
grant select, insert, update, delete on user_two_factors to scrip_server;

-- A link in an email: to sign up, to set a new password, to join a merchant's staff. One is made for every address that is entered,
-- whether or not a user has it, so that neither the response nor its time reveals which addresses are known.
create table user_links (
  -- SHA-256 of the token.
  digest     bytea primary key,
  realm      text not null,
  purpose    text not null check (purpose in ('sign_up', 'reset', 'invite')),
  email      text not null,
  -- What it is for, such as the name and the password's hash of a sign-up.
  content    json not null,
  expires_at timestamptz not null
);
create index user_links_by_end on user_links (expires_at);
create index user_links_by_email on user_links (email);
grant select, insert, delete on user_links to scrip_server;

-- As voucher_pins.
create table user_pins (
  user_id           uuid primary key references users,
  key_id            smallint not null,
  digest            bytea not null check (length(digest) = 32),
  wrong_in_row      smallint not null default 0 check (wrong_in_row between 0 and 5),
  wrong_in_all      smallint not null default 0 check (wrong_in_all between 0 and 10),
  locked_until      timestamptz,
  -- PINs typed at a till are counted apart from those that confirm an action: a cashier who types wrong PINs at the till must not
  -- lock the owner out.
  till_wrong_in_row smallint not null default 0 check (till_wrong_in_row between 0 and 5),
  till_wrong_in_all smallint not null default 0 check (till_wrong_in_all between 0 and 10),
  till_locked_until timestamptz
);
grant select, insert on user_pins to scrip_server;
grant update (key_id, digest, wrong_in_row, wrong_in_all, locked_until, till_wrong_in_row, till_wrong_in_all, till_locked_until)
  on user_pins to scrip_server;

-- Merchants that a user accepts no payment requests from.
create table user_blocks (
  user_id     uuid not null references users,
  merchant_id uuid not null references merchants,
  created_at  timestamptz not null,
  primary key (user_id, merchant_id)
);
grant select, insert, delete on user_blocks to scrip_server;

-- The staff of a merchant.
create table merchant_members (
  merchant_id uuid not null references merchants,
  user_id     uuid not null references users,
  role        text not null check (role in ('owner', 'developer', 'cashier', 'accountant')),
  created_at  timestamptz not null,
  primary key (merchant_id, user_id)
);
create index merchant_members_by_user on merchant_members (user_id);
grant select, insert, delete, update (role) on merchant_members to scrip_server;

-- The audit log: actions of staff, keys and commands. Written before the action; without a status its outcome is not known.
create table acts (
  id          uuid primary key,
  user_id     uuid references users,
  -- The merchant that was acted for, if one.
  merchant_id uuid,
  mode        text check (mode in ('live', 'test')),
  operation   text not null,
  -- The object of the action, as the address named it.
  object      text not null,
  address     text not null,
  status      smallint,
  created_at  timestamptz not null,
  key_id      uuid references merchant_keys,
  -- Of a command: the operating system's user and the database role.
  ran_by      text not null default '',
  constraint acts_by_someone check (num_nonnulls(user_id, key_id) = 1 or (num_nonnulls(user_id, key_id) = 0 and ran_by <> ''))
);
create index acts_by_user on acts (user_id, id);
create index acts_by_merchant on acts (merchant_id, id) where merchant_id is not null;
grant select, insert, update (status) on acts to scrip_server;
