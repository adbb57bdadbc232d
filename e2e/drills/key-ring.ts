// Rotates the key ring and the pepper at two processes of the API while they redeem, then loses both and finds them again.
//   npm run drill -- key-ring [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type ApiProcess, type Line, startApi, withLines } from '../../server/local/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/database.ts'
import { startPostgres } from '../../server/local/postgres.ts'
import { drillSettings } from '../../server/local/shop.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { createReport, createShop, type Voucher } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const vouchersEach = isShort ? 40 : 200
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
const [old, next, hasty, stranger] = [`1:${hex()}`, `2:${hex()}`, `3:${hex()}`, `4:${hex()}`] as const
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
  for (const api of apis) expect(api.said() === '', `the API complained: ${api.said().slice(0, 1_000)}`)
} catch (error) {
  console.error(error)
  faults.push('the drill did not come to its end')
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

/** New vouchers at each process, every second one with a pin. */
async function make(when: string): Promise<void> {
  for (const api of apis)
    await withLines([api], 1, async ([line]) => {
      for (let i = 0; i < vouchersEach / apis.length; i++) {
        const lockPin = i % 2 === 0 ? undefined : pin
        vouchers.push({ ...(await shop.makeVoucher(line, value, lockPin)), lockPin })
      }
    })
  console.log(`${vouchers.length} vouchers, ${when}`)
}

async function rotateUnderLoad(): Promise<void> {
  const load = startLoad()
  for (const [when, change] of [
    ['with the new secrets behind', { KEY_RING: `${old},${next}`, KEY_PEPPER: peppers(oldPepper, newPepper) }],
    ['with the new secrets in front', { KEY_RING: `${next},${old}`, KEY_PEPPER: peppers(newPepper, oldPepper) }],
  ] as const) {
    for (const api of apis) {
      await api.restart(change)
      // Between two restarts the old and the new run side by side, and each makes vouchers that the other must know.
      await make(when)
    }
    await sleep(500)
  }
  await load.stop()
  const { rows } = await pool.query<{ keyId: number }>('select distinct key_id as "keyId" from vouchers order by 1')
  expect(rows.map(({ keyId }) => keyId).join() === '1,2', 'the vouchers were not made under both keys')
}

/** Clients that redeem without pause. One that is cut off, or told that the process stops, asks the other one again. */
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
    const answer = api && (await withLines([api], 1, ([line]) => line.ask(request)).catch(() => undefined))
    if (answer === undefined || answer.status === 503) {
      await sleep(20)
      continue
    }
    note(answer, voucher)
    return
  }
  faults.push('a redemption was never answered')
}

function note(answer: Answer, { lockPin }: Made): void {
  redemptions++
  if (answer.status === 200) return
  refused++
  faults.push(`a ${lockPin === undefined ? 'plain' : 'locked'} voucher was refused: ${answer.status} ${answer.body}`)
}

function redemptionOf(voucher: Made): string {
  return shop.redeem({ reference: `key-ring-${references++}`, voucher, amount: 1n }, voucher.lockPin)
}

async function redeemAllEverywhere(when: string): Promise<void> {
  for (const api of apis)
    await withLines([api], 1, async ([line]) => {
      for (const voucher of vouchers) note(await line.ask(redemptionOf(voucher)), voucher)
    })
  console.log(`all redeemed at both processes ${when}`)
}

/** In one step instead of two: what the new process makes, the old one does not know. Without this the drill would prove nothing. */
async function control(): Promise<void> {
  await apis[0].restart({ KEY_RING: `${hasty},${next},${old}` })
  await withLines([apis[0]], 1, async ([line]) => {
    for (let i = 0; i < 10; i++) {
      const voucher = { ...(await shop.makeVoucher(line, value)), lockPin: undefined }
      const answer = await withLines([apis[1]], 1, ([other]) => other.ask(redemptionOf(voucher)))
      if (answer.status === 404) missedByControl++
    }
  })
  expect(missedByControl === 10, `a rotation in one step was noticed for ${missedByControl} of 10 vouchers`)
  await apis[0].restart({ KEY_RING: `${next},${old}` })
}

/** The documented consequence: no code is found, nothing else is lost, and each voucher can be given a new code. */
async function loseRing(): Promise<void> {
  const before = await readBooks()
  const [api] = apis
  const sale = `refundable-${references++}`
  const [first] = vouchers
  if (first === undefined) throw new Error('There are no vouchers.')
  await withLines([api], 1, ([line]) =>
    line.ask(shop.redeem({ reference: sale, voucher: first, amount: 5_00n }, first.lockPin)),
  )
  for (const one of apis) await one.restart({ KEY_RING: stranger })
  await withLines([api], 1, async ([line]) => {
    for (const voucher of vouchers) {
      const { status } = await line.ask(redemptionOf(voucher))
      if (status !== 404) foundAfterLoss++
    }
    expect(foundAfterLoss === 0, `${foundAfterLoss} codes were found without their key`)
    const listed = await ask(line, 'GET', '/merchant-integrations-server/vouchers?limit=100')
    const codes = (JSON.parse(listed.body) as { data: { vouchers: { code: string }[] } }).data.vouchers
    expect(
      listed.status === 200 && codes.slice(0, 50).every(({ code }) => code === ''),
      'the list shows no empty codes',
    )
    const refund = { referenceId: sale, refundReferenceId: `${sale}-back` }
    expect((await ask(line, 'POST', '/merchant-integrations-server/refund', refund)).status === 200, 'no refund')
    expect((await readBooks()) === before, 'the loss of the ring moved value')
    await replaceSome(line)
    const made = { ...(await shop.makeVoucher(line, value)), lockPin: undefined }
    expect((await line.ask(redemptionOf(made))).status === 200, 'a new voucher does not redeem')
  })
  for (const one of apis) await one.restart({ KEY_RING: `${stranger},${next},${old}` })
  await redeemAllEverywhere('with the ring found again')
}

async function replaceSome(line: Line): Promise<void> {
  for (const old of vouchers.splice(0, 20)) {
    const path = `/merchant-integrations-server/vouchers/${old.id}/replace`
    const answer = await ask(line, 'POST', path, { lockPin: old.lockPin })
    expect(answer.status === 200, `no replacement: ${answer.body}`)
    const { id, code } = (JSON.parse(answer.body) as { data: { id: string; code: string } }).data
    const voucher = { ...old, id, code }
    vouchers.push(voucher)
    note(await line.ask(redemptionOf(voucher)), voucher)
    replaced++
  }
}

async function losePepper(): Promise<void> {
  const [api] = apis
  const [voucher] = vouchers
  if (voucher === undefined) throw new Error('There are no vouchers.')
  await api.restart({ KEY_PEPPER: peppers(systemRandom(32)) })
  const lost = await withLines([api], 1, ([line]) => line.ask(redemptionOf(voucher)))
  expect(lost.status === 401, `a key was taken without its pepper: ${lost.status}`)
  // The old pepper is not needed any more: every key was used since the rotation.
  await api.restart({ KEY_PEPPER: peppers(newPepper) })
  note(await withLines([api], 1, ([line]) => line.ask(redemptionOf(voucher))), voucher)
}

function ask(line: Line, method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  return line.ask(shop.request(method, path, body))
}

/** What is on the vouchers and what the shop has: its sum only changes when value is moved out of them. */
async function readBooks(): Promise<bigint> {
  const { rows } = await pool.query<{ sum: bigint }>(
    `select sum(balance) as sum from ledger_accounts where kind in ('voucher', 'merchant', 'fee')`,
  )
  return rows[0]?.sum ?? 0n
}
