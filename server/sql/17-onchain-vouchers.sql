-- Redemptions of onchain vouchers.

-- A redemption that ended after a request had read the nonce of the voucher counts as still open: the vault would refuse the signature.
-- Checked after the insert, which waits for a transaction that ends the other.
create or replace function address_redemptions_check_nonce() returns trigger language plpgsql as $$
begin
  if new.nonce is distinct from (select nonce from onchain_vouchers where voucher_id = new.voucher_id) then
    raise exception 'onchain: another redemption of this voucher was carried out since'
      using errcode = 'unique_violation', constraint = 'address_redemptions_one_open';
  end if;
  return null;
end $$;
create or replace trigger address_redemptions_nonce after insert on address_redemptions
  for each row when (new.vault is not null) execute function address_redemptions_check_nonce();
