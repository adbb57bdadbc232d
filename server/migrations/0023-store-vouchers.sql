-- Store vouchers: sold by a shop for money that it took itself, and accepted by that shop only.

-- step: kinds of accounts
-- What a shop owes the holders of its store vouchers is negative, like a treasury.
alter type ledger_account_kind add value if not exists 'store_float';
alter type ledger_account_kind add value if not exists 'store_voucher';

-- step: which vouchers are store vouchers
-- Only its issuer accepts it, and its value is in an account of the kind store_voucher.
alter table vouchers add column is_store boolean not null default false;
