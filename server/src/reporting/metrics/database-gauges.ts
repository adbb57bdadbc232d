import type { Tx } from '../../base/db.ts'
import { list, select, sql } from '../../base/sql.ts'
import { rateAgeMinutes } from '../../catalogue/currency/store.ts'
import type { Sample } from '../../http/metrics.ts'

type Gauge = { readonly name: string; readonly help: string }

/** Gauges that one statement reads. It has to be cheap in a large database: every worker's turn comes every few seconds. */
export type GaugeReading = {
  readonly gauges: readonly Gauge[]
  /** The values of each row, in the order of the gauges. */
  readonly read: (tx: Tx, at: Date) => Promise<readonly Row[]>
}
type Row = { readonly labels: NonNullable<Sample['labels']>; readonly values: readonly (number | string)[] }

// Of what waits, at most so many rows are counted: to say that it is far too much, this is enough.
const countedMax = 10_000

const eventLag: GaugeReading = {
  gauges: [{ name: 'scrip_event_lag_seconds', help: 'Age of the oldest event that has not become deliveries yet' }],
  read: async (tx, at) => {
    const columns = list({ lag: sql.text`lag_seconds::text` })
    const rows = await select(tx)`select ${columns} from event_lag(${at})`
    return rows.map(({ lag }) => ({ labels: {}, values: [lag] }))
  },
}

const webhooks: GaugeReading = {
  gauges: [
    { name: 'scrip_webhook_backlog_deliveries', help: 'Deliveries that wait, up to 10,000' },
    { name: 'scrip_webhook_backlog_age_seconds', help: 'How late the latest delivery is to an endpoint that works' },
    { name: 'scrip_webhook_failing_endpoints', help: 'Enabled endpoints whose last delivery failed' },
  ],
  read: async (tx, at) => {
    const columns = list({
      waiting: sql.integer`waiting`,
      late: sql.text`late_seconds::text`,
      failing: sql.integer`failing`,
    })
    const rows = await select(tx)`select ${columns} from webhook_backlog(${at}, ${countedMax})`
    return rows.map(({ waiting, late, failing }) => ({ labels: {}, values: [waiting, late, failing] }))
  },
}

const emails: GaugeReading = {
  gauges: [
    { name: 'scrip_email_backlog_emails', help: 'Emails that wait, up to 10,000' },
    { name: 'scrip_email_backlog_age_seconds', help: 'Age of the oldest of them' },
  ],
  read: async (tx, at) => {
    const columns = list({ waiting: sql.integer`waiting`, age: sql.text`age_seconds::text` })
    const rows = await select(tx)`select ${columns} from mail_backlog(${at}, ${countedMax})`
    return rows.map(({ waiting, age }) => ({ labels: {}, values: [waiting, age] }))
  },
}

const pushes: GaugeReading = {
  gauges: [
    { name: 'scrip_push_backlog_pushes', help: 'Web pushes that wait, up to 10,000' },
    { name: 'scrip_push_backlog_age_seconds', help: 'How late the latest of them is' },
  ],
  read: async (tx, at) => {
    const columns = list({ waiting: sql.integer`waiting`, late: sql.text`late_seconds::text` })
    const rows = await select(tx)`select ${columns} from push_backlog(${at}, ${countedMax})`
    return rows.map(({ waiting, late }) => ({ labels: {}, values: [waiting, late] }))
  },
}

const chains: GaugeReading = {
  gauges: [
    { name: 'scrip_chain_block_age_seconds', help: 'Age of the newest block that was read' },
    { name: 'scrip_chain_unfinal_blocks', help: 'Blocks that were read and are not final' },
    { name: 'scrip_chain_finality_age_seconds', help: 'Time since the nodes last agreed on a final block' },
  ],
  read: async (tx, at) => {
    const columns = list({
      network: sql.text`n.abbreviation`,
      age: sql.text`extract(epoch from ${at}::timestamptz - tip.mined_at)::text`,
      unfinal: sql.text`(tip.number - f.number)::text`,
      finalAge: sql.text`extract(epoch from ${at}::timestamptz - f.said_at)::text`,
    })
    const rows = await select(tx)`
      select ${columns} from networks n join chain_finality f on f.network_id = n.id cross join lateral (
        select number, mined_at from chain_blocks where network_id = n.id order by number desc limit 1) tip
      where n.is_active and n.factory is not null`
    return rows.map(({ network, age, unfinal, finalAge }) => ({
      labels: { network },
      values: [age, unfinal, finalAge],
    }))
  },
}

const sends: GaugeReading = {
  gauges: [{ name: 'scrip_chain_send_age_seconds', help: 'Age of the oldest transaction that is not final' }],
  read: async (tx, at) => {
    const columns = list({
      network: sql.text`n.abbreviation`,
      age: sql.text`coalesce(extract(epoch from ${at}::timestamptz - min(s.asked_at)), 0)::text`,
    })
    // The two partial indexes of open sends.
    const rows = await select(tx)`
      select ${columns} from networks n left join (
        select network_id, asked_at from chain_sends where nonce is not null and ended_at is null
        union all select network_id, asked_at from chain_sends where nonce is null and ended_at is null
      ) s on s.network_id = n.id
      where n.is_active and n.factory is not null group by 1`
    return rows.map(({ network, age }) => ({ labels: { network }, values: [age] }))
  },
}

const rates: GaugeReading = {
  gauges: [
    { name: 'scrip_rate_age_seconds', help: 'Age of the rate of a source' },
    { name: 'scrip_rate_max_age_seconds', help: 'Age above which a rate of this pair is not used' },
  ],
  read: async (tx, at) => {
    const { fiat, crypto } = rateAgeMinutes
    const columns = list({
      base: sql.text`r.from_currency`,
      quote: sql.text`r.to_currency`,
      source: sql.text`r.source`,
      age: sql.text`extract(epoch from ${at}::timestamptz - r.said_at)::text`,
      isCrypto: sql.boolean`'Crypto' in (f.type, t.type)`,
    })
    const rows = await select(tx)`
      select ${columns} from exchange_rates r
        join currencies f on f.abbreviation = r.from_currency join currencies t on t.abbreviation = r.to_currency
        where f.is_active and t.is_active`
    return rows.map(({ age, isCrypto, ...labels }) => ({ labels, values: [age, 60 * (isCrypto ? crypto : fiat)] }))
  },
}

const desks: GaugeReading = {
  gauges: [
    {
      name: 'scrip_desk_used_ratio',
      help: 'Share of its limit that the exchange desk owes which has used the most',
    },
  ],
  read: async (tx) => {
    const columns = list({ mode: sql.text`mode`, currency: sql.text`currency`, used: sql.text`used::text` })
    const rows = await select(tx)`select ${columns} from desk_use()`
    return rows.map(({ used, ...labels }) => ({ labels, values: [used] }))
  },
}

const outflowDay: GaugeReading = {
  gauges: [
    {
      name: 'scrip_outflow_day_amount',
      help: 'Sent or waiting in the last 24 hours, by home currency of the merchants',
    },
  ],
  read: async (tx, at) => {
    const columns = list({ mode: sql.text`mode`, currency: sql.text`currency`, total: sql.text`total::text` })
    const rows = await select(tx)`select ${columns} from outflow_day(${at})`
    return rows.map(({ total, ...labels }) => ({ labels, values: [total] }))
  },
}

const outflowsWaiting: GaugeReading = {
  gauges: [
    { name: 'scrip_outflow_waiting_outflows', help: 'Outflows that wait for staff or a new recipient, up to 10,000' },
    { name: 'scrip_outflow_waiting_amount', help: 'Their total, in the currency that leaves' },
  ],
  read: async (tx) => {
    const columns = list({
      ...{ mode: sql.text`mode`, currency: sql.text`currency` },
      ...{ waiting: sql.integer`waiting`, total: sql.text`total::text` },
    })
    const rows = await select(tx)`select ${columns} from waiting_outflows(${countedMax})`
    return rows.map(({ waiting, total, ...labels }) => ({ labels, values: [waiting, total] }))
  },
}

const ledgerChecks: GaugeReading = {
  gauges: [
    {
      name: 'scrip_ledger_check_age_seconds',
      help: 'Since the ledger was last checked completely, or since its first check began',
    },
  ],
  read: async (tx, at) => {
    const columns = list({
      check: sql.text`c.name`,
      age: sql.text`extract(epoch from ${at}::timestamptz - coalesce(last.finished_at, first.started_at))::text`,
    })
    // A full check reads recent journals too.
    const rows = await select(tx)`
      select ${columns} from (values ('recent', array['recent', 'full']), ('full', array['full'])) c (name, kinds)
        cross join lateral (select started_at from ledger_checks order by id limit 1) first
        left join lateral (
          select finished_at from ledger_checks where kind = any(c.kinds) and finished_at is not null order by id desc limit 1
        ) last on true`
    return rows.map(({ check, age }) => ({ labels: { check }, values: [age] }))
  },
}

const ledgerDifferences: GaugeReading = {
  gauges: [{ name: 'scrip_ledger_differences', help: 'Differences in the ledger that no operator has acknowledged' }],
  read: async (tx) => {
    const columns = list({ open: sql.text`count(*)::text` })
    const rows = await select(tx)`select ${columns} from ledger_differences where acknowledged_at is null`
    return rows.map(({ open }) => ({ labels: {}, values: [open] }))
  },
}

/** To add a gauge: a reading here, its row in docs/reference/metrics.md, and, if it is worth waking the operator, a rule. */
export const gaugeReadings: readonly GaugeReading[] = [
  ...[eventLag, webhooks, emails, pushes],
  ...[chains, sends, rates, desks],
  ...[outflowDay, outflowsWaiting],
  ...[ledgerChecks, ledgerDifferences],
]
