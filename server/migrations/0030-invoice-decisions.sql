-- What staff see of invoices: who decided, and lists of unpaid ones and of one sender.

-- step: who decided
-- The staff member. None: a key did, or it was decided before this column was there.
alter table invoices add column decided_by uuid;
grant update (decided_by) on invoices to scrip_server;

-- step concurrently: unpaid invoices of a shop
create index concurrently invoices_unpaid_of_shop on invoices (environment_id, id) where status = 'Approved' and paid_at is null;

-- step concurrently: invoices of a sender
create index concurrently invoices_of_sender on invoices (environment_id, email, id);
