-- Rules on vouchers: who may redeem one, when, and for which orders.

-- step: rules of vouchers
-- Null without rules. Only the issuer with its secret key sees who the voucher is bound to.
alter table vouchers add column rules json;
-- A holder could redeem an onchain voucher on its network, where nobody checks rules.
alter table vouchers add constraint vouchers_rules_offchain check (rules is null or not is_onchain) not valid;
-- Of each of its vouchers.
alter table voucher_batches add column rules json;

-- step: check the vouchers
alter table vouchers validate constraint vouchers_rules_offchain;

-- step: orders
-- Orders for which a voucher with the rule "one per order" was redeemed or held. A row whose hold or redemption has ended without a
-- payment is deleted by the next request for its order.
create table voucher_orders (
  environment_id  uuid not null references merchant_environments,
  -- The shop's own number of the order.
  order_reference text not null,
  -- The redemption, or the hold.
  id              uuid not null,
  -- Its reference: a concurrent retry of it is not refused.
  reference       text not null,
  constraint voucher_orders_once primary key (environment_id, order_reference)
);
alter table voucher_orders enable row level security;
-- Deleted when an order is free again.
grant select, insert, delete on voucher_orders to scrip_server;
