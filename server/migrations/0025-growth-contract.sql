-- contract
-- The previous release looked journals and transactions up by these indexes. This one looks them up in ledger_keys.

-- step: keys of journals
alter table ledger_journals_p0000 drop constraint ledger_journals_key;

-- step: references of transactions
alter table transactions_p0000 drop constraint transactions_reference;
