-- What one node or one token can do alone.

alter table networks
  -- The operator accepts that one node could invent payments. Without this a live network needs two nodes.
  add column trusts_one_node boolean not null default false;

alter table chain_addresses
  -- How often a sweep left something behind since it was last wanted. Each attempt costs gas, so they are limited.
  add column repeats smallint not null default 0;
grant update (repeats) on chain_addresses to scrip_server;
