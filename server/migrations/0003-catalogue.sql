-- Currencies, and networks with their tokens. Only the operator changes them, because they decide what a payment is worth.

-- Currencies, fiat and crypto.
create table currencies (
  id           uuid primary key default gen_random_uuid(),
  abbreviation text not null unique check (abbreviation ~ '^[A-Z0-9]{2,12}$'),
  name         text not null,
  symbol       text not null,
  type         text not null check (type in ('Fiat', 'Crypto')),
  -- Of the ledger's unit. Never changed once there is a book: it would change what every amount means.
  decimals     smallint not null check (decimals between 0 and 18),
  -- In minor units.
  amount_min   numeric(78, 0) not null check (amount_min > 0),
  amount_max   numeric(78, 0) not null check (amount_max >= amount_min),
  is_active    boolean not null default true,
  created_at   timestamptz not null,
  -- What an exchange desk account may owe: about 100,000 US dollars, unless the operator sets another limit.
  desk_limit   numeric(78, 0) not null check (desk_limit >= 0)
);
grant select on currencies to scrip_server;
grant insert, update on currencies to scrip_operator;

-- EVM networks.
create table networks (
  id              uuid primary key default gen_random_uuid(),
  abbreviation    text not null unique check (abbreviation ~ '^[A-Z0-9]{2,12}$'),
  name            text not null,
  chain_id        bigint not null unique,
  type            text not null default 'EVM' check (type = 'EVM'),
  explorer_url    text not null,
  -- A public address, never the operator's own with its key.
  rpc_url         text not null,
  is_active       boolean not null default true,
  -- Test coins and real coins never meet.
  mode            text not null default 'live' check (mode in ('live', 'test')),
  -- The contract that deposit addresses belong to, and where sweeps go. None: no deposits on this network.
  factory         text check (factory ~ '^0x[0-9a-f]{40}$'),
  treasury        text check (treasury ~ '^0x[0-9a-f]{40}$'),
  -- The hash of what the contract creates at an address: with it an address is computed without a call.
  sweeper_hash    text check (sweeper_hash ~ '^0x[0-9a-f]{64}$'),
  -- How many blocks must be above a final one. None: the nodes report what is final.
  final_depth     integer check (final_depth > 0),
  -- The operator accepts that one node could invent payments. Without this a live network needs two nodes.
  trusts_one_node boolean not null default false,
  -- Vouchers can be redeemed to addresses on this network: the operator funds the key that pays them.
  pays_addresses  boolean not null default false,
  constraint networks_deposits check ((factory is null) = (treasury is null) and (factory is null) = (sweeper_hash is null))
);
grant select on networks to scrip_server;
grant insert, update on networks to scrip_operator;
-- What `select … for no key update` needs: readers of a network wait for each other at its row.
grant update (is_active) on networks to scrip_chain;

-- A currency on a network. One token can have different decimals per network.
create table network_tokens (
  id          uuid primary key default gen_random_uuid(),
  network_id  uuid not null references networks,
  currency_id uuid not null references currencies,
  -- The zero address for the network's own coin.
  address     text not null check (address ~ '^0x[0-9a-fA-F]{40}$'),
  decimals    smallint not null check (decimals between 0 and 36),
  vault       text not null default '' check (vault = '' or vault ~ '^0x[0-9a-fA-F]{40}$'),
  is_active   boolean not null default true,
  unique (network_id, currency_id)
);
grant select on network_tokens to scrip_server;
grant insert, update on network_tokens to scrip_operator;

-- Decimals by ISO 4217. 18 for tokens, the most that any of their networks has, so that no deposit has to be rounded.
insert into currencies
  (abbreviation, name, symbol, type, decimals, amount_min, amount_max, created_at, desk_limit)
select abbreviation, name, symbol, type, decimals, amount_min, amount_max * power(10::numeric, decimals), '2026-01-01T00:00:00Z',
  coalesce(desk_limit, amount_max / 100) * power(10::numeric, decimals)
from (values
  ('USD', 'US dollar', '$', 'Fiat', 2, 1, 10000000),
  ('EUR', 'Euro', '€', 'Fiat', 2, 1, 10000000),
  ('GBP', 'Pound sterling', '£', 'Fiat', 2, 1, 10000000),
  ('NGN', 'Nigerian naira', '₦', 'Fiat', 2, 1, 10000000000),
  ('KES', 'Kenyan shilling', 'KSh', 'Fiat', 2, 1, 1000000000),
  ('GHS', 'Ghanaian cedi', 'GH₵', 'Fiat', 2, 1, 100000000),
  ('ZAR', 'South African rand', 'R', 'Fiat', 2, 1, 100000000),
  ('XOF', 'West African CFA franc', 'F CFA', 'Fiat', 0, 1, 5000000000),
  ('XAF', 'Central African CFA franc', 'FCFA', 'Fiat', 0, 1, 5000000000),
  ('EGP', 'Egyptian pound', 'E£', 'Fiat', 2, 1, 500000000),
  ('MAD', 'Moroccan dirham', 'DH', 'Fiat', 2, 1, 100000000),
  ('TND', 'Tunisian dinar', 'DT', 'Fiat', 3, 1, 10000000),
  ('UGX', 'Ugandan shilling', 'USh', 'Fiat', 0, 1, 10000000000),
  ('TZS', 'Tanzanian shilling', 'TSh', 'Fiat', 2, 1, 10000000000),
  ('RWF', 'Rwandan franc', 'RF', 'Fiat', 0, 1, 10000000000),
  ('JPY', 'Japanese yen', '¥', 'Fiat', 0, 1, 1000000000),
  ('CNY', 'Chinese yuan', 'CN¥', 'Fiat', 2, 1, 100000000),
  ('INR', 'Indian rupee', '₹', 'Fiat', 2, 1, 1000000000),
  ('AED', 'UAE dirham', 'AED', 'Fiat', 2, 1, 100000000),
  ('KWD', 'Kuwaiti dinar', 'KD', 'Fiat', 3, 1, 10000000),
  ('BHD', 'Bahraini dinar', 'BD', 'Fiat', 3, 1, 10000000),
  ('CHF', 'Swiss franc', 'CHF', 'Fiat', 2, 1, 10000000),
  ('SEK', 'Swedish krona', 'kr', 'Fiat', 2, 1, 100000000),
  ('CAD', 'Canadian dollar', 'CA$', 'Fiat', 2, 1, 10000000),
  ('AUD', 'Australian dollar', 'A$', 'Fiat', 2, 1, 10000000),
  ('BRL', 'Brazilian real', 'R$', 'Fiat', 2, 1, 100000000),
  ('MXN', 'Mexican peso', 'MX$', 'Fiat', 2, 1, 100000000),
  ('BNB', 'BNB', 'BNB', 'Crypto', 18, 1000000000000, 100000),
  ('ETH', 'Ether', 'Ξ', 'Crypto', 18, 1000000000000, 100000),
  ('POL', 'POL', 'POL', 'Crypto', 18, 1000000000000, 100000000),
  ('USDT', 'Tether USD', '₮', 'Crypto', 18, 1000000000000, 10000000),
  ('USDC', 'USD Coin', 'USDC', 'Crypto', 18, 1000000000000, 10000000)
) as seed (abbreviation, name, symbol, type, decimals, amount_min, amount_max)
left join (values ('ETH', 30), ('BNB', 150), ('POL', 200000)) as coin (code, desk_limit) on code = abbreviation;

insert into networks (abbreviation, name, chain_id, explorer_url, rpc_url, is_active, mode) values
  ('BSC', 'BNB Smart Chain', 56, 'https://bscscan.com', 'https://bsc-dataseed.bnbchain.org', true, 'live'),
  ('ETH', 'Ethereum', 1, 'https://etherscan.io', 'https://ethereum-rpc.publicnode.com', true, 'live'),
  ('POLYGON', 'Polygon', 137, 'https://polygonscan.com', 'https://polygon-rpc.com', true, 'live'),
  ('BASE', 'Base', 8453, 'https://basescan.org', 'https://mainnet.base.org', true, 'live'),
  -- For development on one machine, where it is switched on.
  ('LOCAL', 'Local network', 31337, 'http://127.0.0.1:8545', 'http://127.0.0.1:8545', false, 'test');

insert into network_tokens (network_id, currency_id, address, decimals)
select n.id, c.id, address, seed.decimals
from (values
  ('BSC', 'BNB', '0x0000000000000000000000000000000000000000', 18),
  ('BSC', 'USDT', '0x55d398326f99059fF775485246999027B3197955', 18),
  ('BSC', 'USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
  ('ETH', 'ETH', '0x0000000000000000000000000000000000000000', 18),
  ('ETH', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6),
  ('ETH', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6),
  ('POLYGON', 'POL', '0x0000000000000000000000000000000000000000', 18),
  ('POLYGON', 'USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6),
  ('POLYGON', 'USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6),
  ('BASE', 'ETH', '0x0000000000000000000000000000000000000000', 18),
  ('BASE', 'USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6),
  ('LOCAL', 'ETH', '0x0000000000000000000000000000000000000000', 18)
) as seed (network, currency, address, decimals)
join networks n on n.abbreviation = seed.network
join currencies c on c.abbreviation = seed.currency;
