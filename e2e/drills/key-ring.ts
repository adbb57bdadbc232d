// Rotates the key ring and the pepper at two API processes while they redeem vouchers, then loses both and restores them.
//   npm run drill -- key-ring [short]
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type HttpResponse,
  type ApiProcess,
  type Connection,
  startApi,
  withConnections,
} from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { createReport, createShop, type Voucher } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const vouchersEach = isShort ? 20 : 200
const clients = isShort ? 4 : 16
const pin = '4821'
const value = 1_000_00n

type Made = Voucher & { readonly lockPin: string | undefined }

const report = createReport()
const { expect, faults } = report
let redemptions = 0
let refused = 0
let missedByControl = 0
let foundAfterLoss = 0
let replaced = 0
let references = 0

const hex = (): string => systemRandom(32).toString('hex')
const [old, next, premature, unrelated] = [`1:${hex()}`, `2:${hex()}`, `3:${hex()}`, `4:${hex()}`] as const
const [oldPepper, newPepper] = [systemRandom(32), systemRandom(32)] as const
const peppers = (...list: Buffer[]): string => list.map((pepper) => pepper.toString('hex')).join(',')

const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const pool = createPool(ownerUrl)
const shop = await createShop(pool, oldPepper, 'SHOP')
const settings = { ...drillSettings(url, oldPepper), KEY_RING: old, LOG_LEVEL: 'error' }
const apis: [ApiProcess, ApiProcess] = [await startApi(settings), await startApi(settings)]
const vouchers: Made[] = []

try {
  await make('before')
  await rotateUnderLoad()
  await redeemAllEverywhere('after the rotation')
  await control()
  await loseRing()
  await losePepper()
  faults.push(...(await verifyLedger(pool)))
  for (const api of apis) expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 1_000)}`)
} catch (error) {
  console.error(error)
  faults.push('the drill did not finish')
} finally {
  for (const api of apis) await api.stop()
  await pool.end()
  await postgres.stop()
}
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
console.log(
  `key-ring vouchers=${vouchers.length} redemptions=${redemptions} refused=${refused} missed_by_control=${missedByControl} ` +
    `found_after_loss=${foundAfterLoss} replaced=${replaced}`,
)
process.exit(faults.length === 0 ? 0 : 1)

/** Creates vouchers at each process, every second one with a PIN. */
async function make(when: string): Promise<void> {
  for (const api of apis)
    await withConnections([api], 1, async ([connection]) => {
      for (let i = 0; i < vouchersEach / apis.length; i++) {
        const lockPin = i % 2 === 0 ? undefined : pin
        vouchers.push({ ...(await shop.makeVoucher(connection, value, lockPin)), lockPin })
      }
    })
  console.log(`${vouchers.length} vouchers, ${when}`)
}

async function rotateUnderLoad(): Promise<void> {
  const load = startLoad()
  for (const [when, change] of [
    ['with the new secrets second', { KEY_RING: `${old},${next}`, KEY_PEPPER: peppers(oldPepper, newPepper) }],
    ['with the new secrets first', { KEY_RING: `${next},${old}`, KEY_PEPPER: peppers(newPepper, oldPepper) }],
  ] as const) {
    for (const api of apis) {
      await api.restart(change)
      // Between two restarts an old and a new process run side by side, and each must accept the other's vouchers.
      await make(when)
    }
    await sleep(500)
  }
  await load.stop()
  const { rows } = await pool.query<{ keyId: number }>('select distinct key_id as "keyId" from vouchers order by 1')
  expect(rows.map(({ keyId }) => keyId).join() === '1,2', 'the vouchers do not use both keys')
}

/** Clients that redeem without pause. A client retries at the other process after a lost connection or a 503. */
function startLoad(): { stop: () => Promise<void> } {
  let isOver = false
  const client = async (n: number): Promise<void> => {
    while (!isOver) {
      const voucher = vouchers[Math.floor(Math.random() * vouchers.length)]
      if (voucher !== undefined) await redeemSomewhere(voucher, n)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  return {
    stop: async () => {
      isOver = true
      await running
      console.log(`${redemptions} redemptions under load, ${refused} refused`)
    },
  }
}

async function redeemSomewhere(voucher: Made, first: number): Promise<void> {
  const request = redemptionOf(voucher)
  for (let attempt = 0; attempt < 200; attempt++) {
    const api = apis[(first + attempt) % apis.length]
    const response =
      api && (await withConnections([api], 1, ([connection]) => connection.send(request)).catch(() => undefined))
    if (response === undefined || response.status === 503) {
      await sleep(20)
      continue
    }
    noteRedemption(response, voucher)
    return
  }
  faults.push('a redemption got no response')
}

function noteRedemption(response: HttpResponse, { lockPin }: Made): void {
  redemptions++
  if (response.status === 200) return
  refused++
  faults.push(
    `a ${lockPin === undefined ? 'plain' : 'locked'} voucher was refused: ${response.status} ${response.body}`,
  )
}

function redemptionOf(voucher: Made): string {
  return shop.redeem({ reference: `key-ring-${references++}`, voucher, amount: 1n }, voucher.lockPin)
}

async function redeemAllEverywhere(when: string): Promise<void> {
  for (const api of apis)
    await withConnections([api], 1, async ([connection]) => {
      for (const voucher of vouchers) noteRedemption(await connection.send(redemptionOf(voucher)), voucher)
    })
  console.log(`all vouchers redeemed at both processes ${when}`)
}

/** Rotates in one step instead of two: the old process rejects the new one's vouchers. Otherwise the drill would prove nothing. */
async function control(): Promise<void> {
  await apis[0].restart({ KEY_RING: `${premature},${next},${old}` })
  await withConnections([apis[0]], 1, async ([connection]) => {
    for (let i = 0; i < 10; i++) {
      const voucher = { ...(await shop.makeVoucher(connection, value)), lockPin: undefined }
      const response = await withConnections([apis[1]], 1, ([other]) => other.send(redemptionOf(voucher)))
      if (response.status === 404) missedByControl++
    }
  })
  expect(missedByControl === 10, `a rotation in one step was detected for ${missedByControl} of 10 vouchers`)
  await apis[0].restart({ KEY_RING: `${next},${old}` })
}

/** As documented: no code is found, nothing else is lost, and each voucher can be replaced. */
async function loseRing(): Promise<void> {
  const before = await readBooks()
  const [api] = apis
  const sale = `refundable-${references++}`
  const [first] = vouchers
  if (first === undefined) throw new Error('There are no vouchers.')
  await withConnections([api], 1, ([connection]) =>
    connection.send(shop.redeem({ reference: sale, voucher: first, amount: 5_00n }, first.lockPin)),
  )
  await restartAll({ KEY_RING: unrelated })
  await withConnections([api], 1, async ([connection]) => {
    for (const voucher of vouchers) {
      const { status } = await connection.send(redemptionOf(voucher))
      if (status !== 404) foundAfterLoss++
    }
    expect(foundAfterLoss === 0, `${foundAfterLoss} codes were found without their key`)
    const list = await sendAsShop(connection, 'GET', '/merchant-integrations-server/vouchers?limit=100')
    expect(list.status === 200, 'the vouchers cannot be listed')
    const reveal = `/merchant-integrations-server/vouchers/${first.id}/code`
    expect((await sendAsShop(connection, 'POST', reveal, {})).status === 503, 'a code is revealed without its key')
    const refund = { referenceId: sale, refundReferenceId: `${sale}-back` }
    expect(
      (await sendAsShop(connection, 'POST', '/merchant-integrations-server/refund', refund)).status === 200,
      'a refund failed',
    )
    expect((await readBooks()) === before, 'the loss of the key ring moved money')
    await replaceSome(connection)
    const made = { ...(await shop.makeVoucher(connection, value)), lockPin: undefined }
    expect((await connection.send(redemptionOf(made))).status === 200, 'a new voucher does not redeem')
  })
  await restartAll({ KEY_RING: `${unrelated},${next},${old}` })
  await redeemAllEverywhere('with the key ring restored')
}

async function restartAll(change: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(apis.map((api) => api.restart(change)))
}

async function replaceSome(connection: Connection): Promise<void> {
  for (const old of vouchers.splice(0, 20)) {
    const path = `/merchant-integrations-server/vouchers/${old.id}/replace`
    const response = await sendAsShop(connection, 'POST', path, { lockPin: old.lockPin })
    expect(response.status === 200, `a replacement failed: ${response.body}`)
    const { id, code } = (JSON.parse(response.body) as { data: { id: string; code: string } }).data
    const voucher = { ...old, id, code }
    vouchers.push(voucher)
    noteRedemption(await connection.send(redemptionOf(voucher)), voucher)
    replaced++
  }
}

async function losePepper(): Promise<void> {
  const [api] = apis
  const [voucher] = vouchers
  if (voucher === undefined) throw new Error('There are no vouchers.')
  await api.restart({ KEY_PEPPER: peppers(systemRandom(32)) })
  const lost = await withConnections([api], 1, ([connection]) => connection.send(redemptionOf(voucher)))
  expect(lost.status === 401, `an API key was accepted without its pepper: ${lost.status}`)
  // The old pepper is no longer needed: every key was used since the rotation.
  await api.restart({ KEY_PEPPER: peppers(newPepper) })
  noteRedemption(await withConnections([api], 1, ([connection]) => connection.send(redemptionOf(voucher))), voucher)
}

function sendAsShop(
  connection: Connection,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<HttpResponse> {
  return connection.send(shop.request(method, path, body))
}

/** The sum of all voucher, merchant and fee balances. It changes only if money leaves them. */
async function readBooks(): Promise<bigint> {
  const { rows } = await pool.query<{ sum: bigint }>(
    `select sum(balance) as sum from ledger_accounts where kind in ('voucher', 'merchant', 'fee')`,
  )
  return rows[0]?.sum ?? 0n
}
