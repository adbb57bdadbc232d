-- What the metrics of operators are read by, so that no scrape reads all accounts or all hours.

-- step concurrently: exchange desks
-- Neither column of it ever changes, so a new balance still touches no index.
create index concurrently ledger_accounts_desks on ledger_accounts (book_id, owner_id) where kind = 'exchange';

-- step concurrently: hours of outflows
create index concurrently outflow_hours_by_hour on outflow_hours (hour);
