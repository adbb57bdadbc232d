-- What one node, one token or one visitor with a public key can do alone.

alter table networks
  -- The operator accepts that one node could invent payments. Without this a live network needs two nodes.
  add column trusts_one_node boolean not null default false;

alter table chain_addresses
  -- How often a sweep left something behind since it was last wanted. Each attempt costs gas, so they are limited.
  add column repeats smallint not null default 0;
grant update (repeats) on chain_addresses to scrip_server;

alter table transactions
  -- Made with the public key alone, which every visitor of the shop's page has. Without value it gives way to the shop's own.
  add column by_public_key boolean;
grant update (reference) on transactions to scrip_server;
