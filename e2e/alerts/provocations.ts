// What makes each alert fire. To add one: a line here, and a rule in deploy/prometheus/scrip-rules.yml.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction, type Tx } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { postMail, writeMail } from '../../server/src/mail/outbox.ts'
import { post, type Shop, tryPost, type World } from './world.ts'

type Provocation = {
  readonly alerts: readonly string[]
  /** Provokes until the signal. Undefined: the world already does. */
  readonly provoke?: (world: World, signal: AbortSignal) => Promise<void>
}

/** Provocations that run at the same time, until all of their alerts have fired. */
export type Phase = { readonly name: string; readonly provocations: readonly Provocation[] }

export const phases: readonly Phase[] = [
  {
    name: 'backlogs, money and locks',
    provocations: [
      { alerts: ['ScripWebhooksDelayed', 'ScripWebhookEndpointsFail'], provoke: sendWebhooks },
      { alerts: ['ScripEmailsDelayed'], provoke: queueEmails },
      { alerts: ['ScripLimitsDegraded'], provoke: ({ redis }) => redis.kill() },
      { alerts: ['ScripChainUnread', 'ScripJobFails'], provoke: ({ anvil }) => anvil.stop() },
      { alerts: ['ScripChainBehind'] },
      { alerts: ['ScripLedgerDifference'] },
      { alerts: ['ScripRateOld'], provoke: setOldRate },
      { alerts: ['ScripDeskNearLimit'], provoke: useDesk },
      { alerts: ['ScripCarefulBatches'], provoke: placeHolds },
      { alerts: ['ScripEventsDelayed'], provoke: holdTransaction },
      { alerts: ['ScripLedgerWaits'], provoke: lockAccount },
      { alerts: ['ScripBatchesSlow'], provoke: lockInPulses },
      { alerts: ['ScripRequestLogLoses'], provoke: fillRequestLog },
    ],
  },
  {
    name: 'a frozen database',
    provocations: [
      {
        alerts: ['ScripDatabaseDown', 'ScripMetricsUnread', 'ScripErrors', 'ScripSlow', 'ScripPoolExhausted'],
        provoke: freezeDatabase,
      },
    ],
  },
  {
    name: 'processes that end',
    provocations: [
      {
        alerts: ['ScripProcessDown', 'ScripNoWorker'],
        provoke: endProcesses,
      },
    ],
  },
]

const newId = createIds(systemClock, systemRandom)

/** Events for an endpoint that responds after seconds, ten at a time, and for one that fails. */
async function sendWebhooks({ api, shops, slowUrl, failingUrl }: World): Promise<void> {
  const shop = shops[3]
  for (const url of [slowUrl, failingUrl]) await post(api, shop, '/webhook-endpoints', { url })
  for (let n = 0; n < redemptions; n++) await redeem({ api }, shop)
}

const redemptions = 60

/** Waits until the events of `sendWebhooks` are deliveries: an open transaction would hold them back. */
async function untilFannedOut({ pool }: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await pool.query<{ count: bigint }>('select count(*) from webhook_deliveries')
    if (Number(rows[0]?.count ?? 0) >= redemptions) return
    await sleep(200)
  }
}

async function redeem({ api }: Pick<World, 'api'>, { voucherCode, ...shop }: Shop, more: object = {}): Promise<number> {
  const body = { voucherCode, amount: '0.10', ...more }
  return tryPost(api, shop, '/merchant-integrations/redeem-voucher', { ...body, referenceId: newId() })
}

/** The mail server cannot be reached. */
async function queueEmails({ pool }: World): Promise<void> {
  const content = { what: 'password_changed', merchant: '', mode: 'test' } as const
  for (let n = 0; n < 12; n++) {
    const mail = {
      environmentId: null,
      aboutId: newId(),
      to: `ada${n}@example.com`,
      language: 'en',
      kind: 'link',
    } as const
    await inTransaction(pool, (tx) => postMail(tx, writeMail(newId, { ...mail, content })))
  }
}

async function setOldRate({ pool }: World): Promise<void> {
  await setManualRate(pool, 'GBP', 'USD', '1.3', () => new Date(Date.now() - 2 * 3_600_000))
}

/** A payment across currencies, then a limit that it nearly uses up. */
async function useDesk({ api, pool, shops }: World): Promise<void> {
  const shop = shops[4]
  const status = await redeem({ api }, shop, { amount: '10.00', toCurrencyAbbreviation: 'EUR' })
  if (status !== 200) throw new Error(`A redemption across currencies returned ${status}.`)
  await pool.query(`update currencies set desk_limit = (
    select ceil(-1.1 * min(a.balance)) from ledger_accounts a join ledger_books b on b.id = a.book_id
    where a.kind = 'exchange' and b.currency = 'EUR') where abbreviation = 'EUR'`)
}

/** A hold cannot be posted in one round. */
async function placeHolds({ api, shops }: World, signal: AbortSignal): Promise<void> {
  const { voucherCode, ...shop } = shops[2]
  await repeat(
    signal,
    async () => {
      const body = { voucherCode, amount: '0.01', referenceId: newId() }
      await tryPost(api, shop, '/merchant-integrations/voucher-holds', body)
    },
    1,
  )
}

/** Runs `work` over and over, a few at a time, until the signal. */
async function repeat(signal: AbortSignal, work: () => Promise<unknown>, atOnce = 4): Promise<void> {
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await work()
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
}

/** Runs a transaction that stays open until the signal. */
async function stayOpen({ pool }: World, signal: AbortSignal, begin: (tx: Tx) => Promise<unknown>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await begin(client as unknown as Tx)
    while (!signal.aborted) await sleep(100)
    await client.query('rollback')
  } finally {
    client.release()
  }
}

/** Events are published up to the oldest transaction. */
async function holdTransaction(world: World, signal: AbortSignal): Promise<void> {
  await untilFannedOut(world, signal)
  const waiting = stayOpen(world, signal, (tx) => tx.query('select pg_current_xact_id()'))
  await sleep(200)
  await redeem(world, world.shops[3])
  await waiting
}

const lockMerchant = `select from ledger_accounts where owner_id = $1 and kind = 'merchant' for update`

async function lockAccount(world: World, signal: AbortSignal): Promise<void> {
  await untilFannedOut(world, signal)
  const shop = world.shops[0]
  await redeem(world, shop)
  const waiting = stayOpen(world, signal, (tx) => tx.query(lockMerchant, [shop.environmentId]))
  await repeat(signal, () => redeem(world, shop), 2)
  await waiting
}

/** Locks that are shorter than the ledger waits for one, over and over. */
async function lockInPulses(world: World, signal: AbortSignal): Promise<void> {
  await untilFannedOut(world, signal)
  const shop = world.shops[1]
  await redeem(world, shop)
  const pulse = async (): Promise<void> => {
    const client = await world.pool.connect()
    await client.query('begin')
    await client.query(lockMerchant, [shop.environmentId])
    await sleep(400)
    await client.query('commit')
    client.release()
  }
  await Promise.all([repeat(signal, pulse, 1), repeat(signal, () => redeem(world, shop), 2)])
}

/** More bodies than the log may keep while its table is locked. */
async function fillRequestLog(world: World, signal: AbortSignal): Promise<void> {
  await untilFannedOut(world, signal)
  const waiting = stayOpen(world, signal, (tx) => tx.query('lock table request_log in access exclusive mode'))
  const body = { voucherCode: 'none', filler: 'x'.repeat(15_000) }
  await repeat(signal, () => tryPost(world.api, world.shops[3], '/merchant-integrations/verify-voucher', body), 8)
  await waiting
}

/** Requests hang and then fail, more of them than the pool has connections. */
async function freezeDatabase(world: World, signal: AbortSignal): Promise<void> {
  world.postgres.freeze()
  signal.addEventListener('abort', world.postgres.thaw)
  await repeat(signal, () => redeem(world, world.shops[3]), 30)
}

async function endProcesses({ secondApi, worker }: World): Promise<void> {
  await Promise.all([secondApi.stop(), worker.stop()])
}
