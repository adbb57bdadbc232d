// Merchants with keys and funded vouchers, a tenth of them locked, for load over real HTTP, and the same redemption as one
// SQL function for pgbench.
import { connect, type Connection } from '../server/src/base/db.ts'
import { createSeededRandom, systemRandom } from '../server/src/base/random.ts'
import type { Config } from '../server/src/config.ts'
import { digestKey, makeKey } from '../server/src/identity/merchant/key.ts'
import { makeCode } from '../server/src/vouchers/code/code.ts'
import { createKeyRing, type KeyRing } from '../server/src/vouchers/code/key-ring.ts'

export const merchants = 1_000
export const pin = '4821'
const lockedEvery = 10

/** Numbered IDs, so that pgbench can name them without a look-up. */
const numbered = (prefix: string, n: number): string => `${prefix}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const numberedSql = (prefix: string, n: string): string =>
  `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const environmentPrefix = '01900000'
const voucherPrefix = '01910000'
const merchantPrefix = '01920000'

export type Shop = { publicKey: string; secretKey: string }
export type VoucherWorld = { shops: Shop[]; codes: string[]; keyRing: KeyRing }

export async function createVoucherWorld(
  ownerUrl: string,
  { keyPeppers: [keyPepper], keyRing: secrets }: Pick<Config, 'keyPeppers' | 'keyRing'>,
  vouchers: number,
): Promise<VoucherWorld> {
  const owner = await connect(ownerUrl)
  const keyRing = createKeyRing(secrets)
  try {
    const environment = numberedSql(environmentPrefix, 'n')
    const voucher = numberedSql(voucherPrefix, 'n')
    for (const statement of [
      `insert into merchants (id, code, company_name, home_currency, time_zone, created_at)
        select ${numberedSql(merchantPrefix, 'n')}, 'SHOP' || n, 'Shop ' || n, 'USD', 'UTC', '2026-01-01'
        from generate_series(1, ${merchants}) n`,
      `insert into merchant_environments (id, merchant_id, mode)
        select ${environment}, ${numberedSql(merchantPrefix, 'n')}, 'test' from generate_series(1, ${merchants}) n`,
      `insert into charge_settings select ${environment}, false from generate_series(1, ${merchants}) n`,
      `insert into charge_rules (mode, currency, fixed, share_ppm) values ('test', 'USD', 10, 15000)`,
      `insert into ledger_books (mode, currency) values ('test', 'USD')`,
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
        select 1, ${environment}, kind::ledger_account_kind, kind = 'treasury'
        from generate_series(1, ${merchants}) n, unnest(array['merchant', 'fee', 'treasury']) kind`,
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
        select 1, ${voucher}, 'voucher', false from generate_series(1, ${vouchers}) n`,
      `begin`,
      `insert into ledger_journals
        select ${voucher}, gen_random_uuid(), gen_random_uuid(), 'voucher.issue', 0, '2026-01-01'
        from generate_series(1, ${vouchers}) n`,
      `insert into ledger_transfers
        select ${voucher}, 0, 1, 'treasury', 'voucher', ${numberedSql(environmentPrefix, `1 + n % ${merchants}`)}, ${voucher},
          1000000000 from generate_series(1, ${vouchers}) n`,
      `commit`,
      bareFunction,
    ])
      await owner.query(statement)
    const shops = await insertKeys(owner, keyPepper)
    const codes = await insertVouchers(owner, keyRing, vouchers)
    await owner.query('vacuum analyze')
    return { shops, codes, keyRing }
  } finally {
    await owner.end()
  }
}

async function insertKeys(owner: Connection, pepper: Buffer): Promise<Shop[]> {
  const random = createSeededRandom('keys')
  const shops = Array.from({ length: merchants }, () => ({
    publicKey: makeKey('public', 'test', random),
    secretKey: makeKey('secret', 'test', random),
  }))
  for (const kind of ['public', 'secret'] as const)
    await owner.query(
      `insert into merchant_keys (id, environment_id, kind, name, digest, shown, created_at)
        select gen_random_uuid(), environment_id, $3, 'bench', digest, '', '2026-01-01'
        from unnest($1::uuid[], $2::bytea[]) as new (environment_id, digest)`,
      [
        shops.map((_, i) => numbered(environmentPrefix, i + 1)),
        shops.map((shop) => digestKey(pepper, kind === 'public' ? shop.publicKey : shop.secretKey)),
        kind,
      ],
    )
  return shops
}

async function insertVouchers(owner: Connection, keyRing: KeyRing, count: number): Promise<string[]> {
  const random = createSeededRandom('codes')
  const codes = Array.from({ length: count }, () => makeCode(random))
  const step = 10_000
  for (let first = 0; first < count; first += step) {
    const part = codes.slice(first, first + step).map((code, i) => {
      const n = first + i + 1
      const id = numbered(voucherPrefix, n)
      return {
        n,
        id,
        codeHash: keyRing.hashOf(code),
        ...keyRing.seal(id, code, systemRandom),
        pin: keyRing.pinDigest(id, pin).digest,
      }
    })
    await owner.query(
      `insert into vouchers (environment_id, id, book_id, amount, was_paid_for, recipient_kind, recipient, only_at, key_id,
          code_hash, code_sealed, created_at)
        select ${numberedSql(environmentPrefix, `1 + n % ${merchants}`)}, id, 1, 1000000000, false, 'nobody', '', '{}', 1, hash,
          sealed, '2026-01-01'
        from unnest($1::int[], $2::uuid[], $3::uuid[], $4::bytea[]) as new (n, id, hash, sealed)`,
      [
        part.map(({ n }) => n),
        part.map(({ id }) => id),
        part.map(({ codeHash }) => codeHash),
        part.map(({ sealed }) => sealed),
      ],
    )
    const locked = part.filter(({ n }) => n % lockedEvery === 0)
    await owner.query(
      `insert into voucher_pins (voucher_id, key_id, digest)
        select id, 1, digest from unnest($1::uuid[], $2::bytea[]) as new (id, digest)`,
      [locked.map(({ id }) => id), locked.map((one) => one.pin)],
    )
  }
  return codes
}

/** The bodies of `count` requests, a tenth with a PIN. None has a quote, because a quote is valid once. */
export function requestBodies(
  { codes }: VoucherWorld,
  count: number,
  merchantOf: (i: number) => number,
): { merchant: number; body: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const merchant = merchantOf(i)
    const voucher = 1 + ((i * 7919) % codes.length)
    const lockPin = voucher % lockedEvery === 0 ? pin : undefined
    const body = JSON.stringify({
      voucherCode: codes[voucher - 1],
      amount: 1,
      lockPin,
      referenceId: 'REFERENCE',
    })
    return { merchant, body }
  })
}

/** The same rows, indexes and checks in one function, as a good engineer would write it with a transaction per redemption. */
const bareFunction = `
create function bench_redeem(merchant bigint, voucher bigint) returns uuid language plpgsql as $$
declare
  shop      uuid := ('${environmentPrefix}-0000-7000-8000-' || lpad(to_hex(merchant), 12, '0'))::uuid;
  issuer    uuid := ('${environmentPrefix}-0000-7000-8000-' || lpad(to_hex(1 + voucher % ${merchants}), 12, '0'))::uuid;
  card      uuid := ('${voucherPrefix}-0000-7000-8000-' || lpad(to_hex(voucher), 12, '0'))::uuid;
  journal   uuid := encode(substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
    || substring(uuid_send(gen_random_uuid()) from 7), 'hex')::uuid;
  reference text := 'order-' || journal;
  key       uuid := substr(encode(sha256(convert_to('reference/' || shop || '/' || reference, 'UTF8')), 'hex'), 1, 32)::uuid;
  fingerprint     uuid := substr(encode(sha256(convert_to(card || ' 100', 'UTF8')), 'hex'), 1, 32)::uuid;
  at        timestamptz := clock_timestamp();
  known     uuid;
  v         vouchers%rowtype;
  p         voucher_pins%rowtype;
  rule      charge_rules%rowtype;
  takes     boolean;
  let_off   integer;
  charge    numeric;
  available numeric;
  next_sequence      bigint;
begin
  select journal_id into known from ledger_keys where key_hash = key;
  if found then return known; end if;
  select * into v from vouchers where environment_id = issuer and id = card;
  if not found or v.expires_at <= at or not (v.only_at = '{}' or shop = any(v.only_at)) then raise 'voucher'; end if;
  select * into p from voucher_pins where voucher_id = card for no key update;
  if found and (p.wrong_in_all >= 10 or p.locked_until > at or p.digest = sha256(p.digest)) then
    raise 'pin';
  end if;
  select r.* into rule from charge_rules r where r.mode = 'test' and r.currency = 'USD';
  select s.takes_from_balance into takes from charge_settings s where s.environment_id = shop;
  select max(d.discount_ppm) into let_off from charge_discounts d
    where d.environment_id = shop and d.ends_at > at and d.starts_at <= at;
  charge := ceil((rule.fixed + 100 * rule.share_ppm / 1000000.0) * (1 - coalesce(let_off, 0) / 1000000.0));
  perform from ledger_accounts a
    where a.book_id = 1 and (a.owner_id, a.kind) in ((shop, 'fee'), (shop, 'merchant'), (card, 'voucher'))
    order by a.book_id, a.owner_id, a.kind for no key update;
  select balance - held into available from ledger_accounts a
    where a.book_id = 1 and a.owner_id = card and a.kind = 'voucher';
  if available < 100 + charge then raise 'insufficient'; end if;
  insert into ledger_journals values (journal, key, fingerprint, 'voucher.redeem', 0, at);
  insert into ledger_transfers values
    (journal, 0, 1, 'voucher', 'merchant', card, shop, 100),
    (journal, 1, 1, 'voucher', 'fee', card, shop, charge);
  insert into transactions values
    (shop, journal, reference, 'VOUCHER_REDEMPTION', 'COMPLETED', 1, 100, 100 + charge, 'MIXED', '', at);
  insert into redemptions (voucher_id, id, environment_id, amount, charge, charged_to, created_at)
    values (card, journal, shop, 100, charge, 'voucher', at);
  select version into next_sequence from ledger_accounts a where a.book_id = 1 and a.owner_id = card and a.kind = 'voucher';
  insert into ledger_outbox (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at)
    values (journal, gen_random_uuid(), shop, card, next_sequence, 'voucher.redeemed', json_build_object('transactionId', journal, 'reference', reference, 'voucherId', card,
      'amount', '1.00', 'charge', '0.12', 'chargedTo', 'voucher', 'currency', 'USD'), at);
  return journal;
end $$`
