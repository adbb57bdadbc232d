-- Secrets that are replaced while everything runs.

-- Which key signed its receipt: a repeat is answered with the same receipt, also after a newer key has come.
alter table redemptions add column receipt_key smallint;

-- A key that was stored under an older pepper, under the present one from its next use on. For keys that were just shown:
-- whoever calls this knows both digests, and nobody can without the key.
create function rehash_merchant_keys(old_digests bytea[], new_digests bytea[]) returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update merchant_keys k set digest = c.new_digest
    from unnest(old_digests, new_digests) as c (old_digest, new_digest) where k.digest = c.old_digest;
$$;
revoke execute on function rehash_merchant_keys from public;

-- Which keys of the ring the vouchers were made under, how many each, and one of them to try it on. It reads the whole table: for
-- an operator who is about to retire a key, not for requests.
create function key_ring_use() returns table (key_id smallint, vouchers bigint, sample_id uuid, sample_sealed bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select u.key_id, u.vouchers, s.id, s.code_sealed
  from (select v.key_id, count(*) as vouchers, max(v.id::text)::uuid as newest from vouchers v group by v.key_id) u
  join vouchers s on s.id = u.newest
  order by u.key_id;
$$;
revoke execute on function key_ring_use from public;

grant execute on function rehash_merchant_keys, key_ring_use to scrip_server;
