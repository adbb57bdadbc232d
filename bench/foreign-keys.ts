// The cost of foreign keys inside the ledger, compared with the statement triggers that check the same: decision 0007.
//   npm run bench -- foreign-keys
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { connect } from '../server/src/base/db.ts'
import { median, runPostLoad } from './post-load.ts'
import { createRedemptionWorld } from './redemption-world.ts'

const [rounds, seconds, vouchers] = [3, 6, 100_000]

const postgres = await startPostgres({ settings: { shared_buffers: '2GB', max_wal_size: '8GB' } })
const template = await createTemplate(postgres.adminUrl)
const asItIs = await cloneTemplate(postgres.adminUrl, template)
const withKeys = await cloneTemplate(postgres.adminUrl, template)
for (const { ownerUrl } of [asItIs, withKeys]) await createRedemptionWorld(ownerUrl, vouchers)
const owner = await connect(withKeys.ownerUrl)
await owner.query(`alter table ledger_transfers
  add foreign key (journal_id) references ledger_journals (id),
  add foreign key (from_owner, from_kind, book_id) references ledger_accounts (owner_id, kind, book_id),
  add foreign key (to_owner, to_kind, book_id) references ledger_accounts (owner_id, kind, book_id)`)
await owner.end()

const rates = {
  asItIs: [] as number[],
  withKeys: [] as number[],
  asItIsHot: [] as number[],
  withKeysHot: [] as number[],
}
for (let round = 0; round < rounds; round++) {
  rates.asItIs.push((await runPostLoad(asItIs.url, vouchers, false, seconds)).perSecond)
  rates.withKeys.push((await runPostLoad(withKeys.url, vouchers, false, seconds)).perSecond)
  rates.asItIsHot.push((await runPostLoad(asItIs.url, vouchers, true, seconds)).perSecond)
  rates.withKeysHot.push((await runPostLoad(withKeys.url, vouchers, true, seconds)).perSecond)
}
await postgres.stop()
const ratio = (median(rates.withKeys) / median(rates.asItIs)).toFixed(2)
const hotRatio = (median(rates.withKeysHot) / median(rates.asItIsHot)).toFixed(2)
console.log(`foreign-keys ratio=${ratio} hot_ratio=${hotRatio}`)
