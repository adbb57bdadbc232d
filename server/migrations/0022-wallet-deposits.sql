-- A person brings a coin into his own wallet: a deposit at the platform's own shop.

-- Whose wallet it goes to. None: it is the merchant's.
alter table deposits add column user_id uuid references users;
create index deposits_of_user on deposits (user_id, id) where user_id is not null;
create policy deposits_of_user on deposits for select using (user_id = scrip_user());

alter table wallet_moves
  drop constraint wallet_moves_kind_check,
  add constraint wallet_moves_kind_check check (kind in (
    'redeemed', 'bought', 'sent', 'received', 'exchanged', 'paid', 'paid_out', 'refunded', 'returned', 'funded',
    'deposited'));
