-- What an owner sees of the team: when a member was last there, and open invitations.

-- step: last seen
-- The last request of the staff member at this merchant, to five minutes. Null: none since this column was there.
alter table merchant_members add column last_seen_at timestamptz;
grant update (last_seen_at) on merchant_members to scrip_server;

-- step concurrently: invitations of a merchant
create index concurrently user_links_of_merchant on user_links ((content ->> 'merchantId')) where purpose = 'invite';
