// Destroys the database under load and restores it to a time from an encrypted backup and its archived log, with the
// recipe in deploy/. Then compares the clients' own lists with what is there.
//   npm run drill -- restore [short]
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiProcess, startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { asRole, atDatabase, ensureDatabase, schemaFolder } from '../../server/local/parts/database.ts'
import { type DebianPostgres, startDebianPostgres } from '../../server/local/parts/debian-postgres.ts'
import { runScrip } from '../../server/local/test/scrip-command.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { connect, createPool } from '../../server/src/base/db.ts'
import { migrate } from '../../server/src/base/migrate.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { runParts } from '../run-parts.ts'
import { type Acknowledgement, type Load, makeVouchers, startLoad, writeAcknowledged } from '../steady-load.ts'
import { createShop, type Shop } from '../vouchers/world.ts'

type World = {
  readonly postgres: DebianPostgres
  readonly settings: Record<string, string>
  readonly apis: ApiProcess[]
  readonly shop: Shop
  readonly load: Load
}

const size = process.argv.includes('short')
  ? { clients: 8, vouchers: 100, beforeMs: 2_000, afterMs: 1_500, diff: false, repeats: 100, archiveTimeout: '5' }
  : {
      clients: 32,
      vouchers: 1_000,
      beforeMs: 60_000,
      afterMs: 30_000,
      diff: true,
      repeats: 5_000,
      archiveTimeout: '60',
    }

const merchantCode = 'SHOP'
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
/** The time to restore to, by PostgreSQL's clock, in whole milliseconds. */
let target = new Date(Number.NaN)
let destroyedMs = 0
let [seconds, missing, afterTarget, lost, replayed, repeated, missedByControl] = [0, 0, 0, 0, 0, 0, 0]
let acknowledged: readonly Acknowledgement[] = []

await runParts(faults, stops, createWorld, [
  ['backup under load', backUp],
  ['a time to restore to, and load after it', chooseTarget],
  ['destroy and restore', restore],
  ['acknowledged references against the database', compare],
  ['redeem again', redeemAgain],
  ['repeats of what was acknowledged', repeatAll],
  ['backups on the new timeline', backUpAgain],
])
const before = acknowledged.filter(isBefore).length
console.log(
  `restore acked_before=${before} missing=${missing} after_target=${afterTarget} seconds=${seconds.toFixed(1)} ` +
    `lost_after=${lost} replayed=${replayed} repeated=${repeated} missed_by_control=${missedByControl} faults=${faults.length}`,
)
process.exit(faults.length === 0 && before > 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startDebianPostgres({
    settings: { shared_buffers: '256MB', archive_timeout: size.archiveTimeout },
  })
  stops.push(postgres.remove)
  await ensureDatabase(postgres.adminUrl, 'scrip')
  const ownerUrl = atDatabase(postgres.adminUrl, 'scrip', 'scrip_owner')
  await migrate(ownerUrl, schemaFolder, systemClock)
  const url = asRole(ownerUrl, 'scrip_server')
  const pepper = systemRandom(32)
  const urls = { OWNER_DATABASE_URL: ownerUrl, OPERATOR_DATABASE_URL: asRole(ownerUrl, 'scrip_operator') }
  const settings = { ...drillSettings(url, pepper), ...urls, LOG_LEVEL: 'fatal' }
  const apis = [await startApi(settings), await startApi(settings)]
  for (const api of apis) stops.push(api.stop)
  const pool = createPool(ownerUrl)
  const shop = await createShop(pool, pepper, merchantCode)
  await pool.end()
  const vouchers = await makeVouchers(apis, shop, size.vouchers)
  const load = startLoad(apis, shop, { vouchers, clients: size.clients })
  stops.push(load.abandon)
  acknowledged = load.acknowledged
  return { postgres, settings, apis, shop, load }
}

async function backUp({ postgres, load }: World): Promise<void> {
  const first = load.acknowledged.length
  await postgres.run('pgbackrest', '--stanza=scrip', '--type=full', 'backup')
  expect(load.acknowledged.length > first, 'nothing was acknowledged during the backup')
  await sleep(size.beforeMs / 2)
  if (size.diff) await postgres.run('pgbackrest', '--stanza=scrip', '--type=diff', 'backup')
  await sleep(size.beforeMs / 2)
}

async function chooseTarget({ postgres, load }: World): Promise<void> {
  const ask = async (query: string): Promise<string> => (await postgres.run('psql', '-Atc', query)).trim()
  target = new Date(Math.floor(Number(await ask('select extract(epoch from clock_timestamp())')) * 1_000))
  await sleep(size.afterMs)
  // A restore to a time needs a commit after that time in the archive: PostgreSQL refuses to start if it ends earlier.
  const segment = await ask('select pg_walfile_name(pg_current_wal_insert_lsn())')
  while ((await ask(`select last_archived_wal >= '${segment}' from pg_stat_archiver`)) !== 't') await sleep(100)
  await sleep(size.afterMs)
  const after = load.acknowledged.filter(({ requestedAt }) => requestedAt > target.getTime()).length
  expect(after > 0, 'nothing was requested after the target, so the drill proves nothing')
}

async function restore({ postgres, apis, load }: World): Promise<void> {
  destroyedMs = performance.now()
  await postgres.destroy()
  await load.abandon()
  faults.push(...load.refused.slice(0, 10))
  await Promise.all(apis.map((api) => api.stop()))
  const time = target.toISOString().replace('T', ' ').replace('Z', '+00')
  const to = ['--type=time', `--target=${time}`, '--target-action=promote']
  await postgres.run('pgbackrest', '--stanza=scrip', ...to, 'restore')
  await postgres.start()
  console.log(`  ${((performance.now() - destroyedMs) / 1_000).toFixed(1)} s until PostgreSQL was restored to ${time}`)
}

async function compare({ postgres, settings, load }: World): Promise<void> {
  const all = load.acknowledged
  const output = await check(postgres, settings, all)
  const counts = readCounts(output)
  missing = counts.missing + counts.different
  afterTarget = counts.later
  lost = counts.lost
  console.log(`  ${output.split('\n').at(-1)}`)
  expect(!output.endsWith('(failed)'), `restore-check failed: ${output.slice(-2_000)}`)
  expect(counts.compared === all.length, `restore-check compared ${counts.compared} of ${all.length}`)
  expect(lost > 0, 'nothing was lost after the target, so the drill proves nothing')
  await control(postgres, settings, all.filter(isBefore))
  const owner = await connect(settings.OWNER_DATABASE_URL ?? '')
  faults.push(...(await verifyLedger(owner)))
  await owner.end()
}

/** A list with a reference that does not exist, another amount, and a time after the target: each is reported. */
async function control(
  postgres: DebianPostgres,
  settings: World['settings'],
  sound: readonly Acknowledgement[],
): Promise<void> {
  const [one] = sound
  if (one === undefined) throw new Error('Nothing was acknowledged before the target.')
  const late = target.getTime() + 1
  const controls = [
    ['missing', { ...one, reference: 'never-redeemed' }],
    ['different', { ...one, amount: one.amount + 1n }],
    ['later', { ...one, requestedAt: late, acknowledgedAt: late }],
  ] as const
  await Promise.all(
    controls.map(async ([name, planted]) => {
      const output = await check(postgres, settings, [...sound.slice(0, 100), planted], name)
      const isReported = output.endsWith('(failed)') && readCounts(output)[name] === 1
      if (!isReported) missedByControl++
      expect(isReported, `restore-check does not report a ${name} reference: ${output}`)
    }),
  )
}

function check(
  { folder }: DebianPostgres,
  settings: World['settings'],
  list: readonly Acknowledgement[],
  name = 'acknowledged',
): Promise<string> {
  const file = join(folder, `${name}.jsonl`)
  writeAcknowledged(file, merchantCode, list)
  return runScrip(settings, ['restore-check', file, '--until', target.toISOString()])
}

function readCounts(output: string): Record<'compared' | 'missing' | 'different' | 'later' | 'lost', number> {
  const count = (name: string): number => Number(new RegExp(` ${name}=(\\d+)`).exec(output)?.[1])
  const [compared, different, later] = [count('compared'), count('different'), count('later')]
  return { compared, missing: count('missing'), different, later, lost: count('lost') }
}

async function redeemAgain({ apis, shop, load }: World): Promise<void> {
  const voucher = load.acknowledged[0]?.voucher
  if (voucher === undefined) throw new Error('Nothing was acknowledged.')
  await Promise.all(apis.map((api) => api.restart({})))
  const { status } = await withConnections(apis, 1, ([connection]) =>
    connection.send(shop.redeem({ reference: 'after-the-restore', voucher, amount: 1_00n })),
  )
  expect(status === 200, `the restored database does not redeem: ${status}`)
  seconds = (performance.now() - destroyedMs) / 1_000
}

/** What was acknowledged before the target gets its first response; what was lost after it is redeemed again, once. */
async function repeatAll({ apis, shop, load }: World): Promise<void> {
  const api = apis[0] as ApiProcess
  const isAfter = ({ requestedAt }: Acknowledgement): boolean => requestedAt > target.getTime()
  const repeat = async (one: Acknowledgement): Promise<{ status: number; body: string; isReplay: boolean }> => {
    const response = await sendForHeaders(api, shop.redeem(one))
    const isReplay = response.headers.get('Idempotent-Replayed') === 'true'
    return { status: response.status, body: await response.text(), isReplay }
  }
  for (const one of sample(load.acknowledged.filter(isBefore))) {
    const { status, body, isReplay } = await repeat(one)
    const isRight = status === 200 && isReplay && body === one.body
    expect(isRight, `a repeat of ${one.reference} got ${status} ${isReplay} ${body}`)
    if (isRight) replayed++
  }
  for (const one of sample(load.acknowledged.filter(isAfter))) {
    const first = await repeat(one)
    const again = await repeat(one)
    const isRight = first.status === 200 && !first.isReplay && again.isReplay && again.body === first.body
    expect(isRight, `the lost ${one.reference} got ${first.status} ${first.isReplay}, then ${again.status}`)
    if (isRight) repeated++
  }
}

async function backUpAgain({ postgres, settings }: World): Promise<void> {
  await postgres.run('pgbackrest', '--stanza=scrip', 'check')
  await postgres.run('pgbackrest', '--stanza=scrip', '--type=diff', 'backup')
  const verified = await postgres.run('pgbackrest', '--stanza=scrip', '--verbose', 'verify')
  const isSound = verified.includes('status: ok') && !/(missing|invalid|other): [1-9]/.test(verified)
  expect(isSound, `verify reports faults: ${verified.slice(-1_000)}`)
  checkEncryption(postgres)
  const owner = await connect(settings.OWNER_DATABASE_URL ?? '')
  faults.push(...(await verifyLedger(owner)))
  await owner.end()
}

/** Every file of the repository begins as openssl marks encrypted files. */
function checkEncryption({ repository }: DebianPostgres): void {
  const files = readdirSync(repository, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const head = Buffer.alloc(8)
  for (const { parentPath, name } of files) {
    const opened = openSync(join(parentPath, name), 'r')
    readSync(opened, head, 0, 8, 0)
    closeSync(opened)
    expect(head.toString() === 'Salted__', `${name} in the repository is not encrypted`)
  }
  expect(files.length > 10, 'the repository has no files')
}

/** Evenly over the whole list. */
function sample(list: readonly Acknowledgement[]): Acknowledgement[] {
  const every = Math.max(1, Math.floor(list.length / size.repeats))
  return list.filter((_, i) => i % every === 0)
}

function isBefore({ acknowledgedAt }: Acknowledgement): boolean {
  return acknowledgedAt < target.getTime()
}

function expect(holds: boolean, fault: string): void {
  if (!holds) faults.push(fault)
}

/** Sends a request with fetch, which is slower than a connection of the drill and returns the headers too. */
async function sendForHeaders({ baseUrl }: ApiProcess, request: string): Promise<Response> {
  const [head = '', body] = request.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = start.split(' ')
  const headers = lines.map((line) => line.split(': ') as [string, string])
  const own = headers.filter(([name]) => name !== 'Host' && name !== 'Content-Length')
  return fetch(`${baseUrl}${path}`, { method, headers: own, body: body === '' ? null : (body ?? null) })
}
