// Screenshots of the rooms for invoices, payouts, deposits, requests, customers, the team, developers and settings: phone and desktop,
// light and dark, English and French. Fails if a text is cut, or wider than the screen.
//   npm run screens -- rooms
import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { demoBrand, readDemoLogo } from '../../server/local/demo/demo-brand.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { eventually, startChainStack } from '../web/chain-stack.ts'
import { shootInFrench } from '../web/french.ts'
import { createPeople, password, pin } from '../web/people.ts'
import { settle } from '../web/settle.ts'
import { createOpenAs, createStaff, enrol } from '../web/staff.ts'

const folder = resolve(import.meta.dirname, '../../.scrip/screens/rooms')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const api = '/merchant-integrations'
const server = '/merchant-integrations-server'

// The shop's server, which is down for one of three webhooks.
let webhooks = 0
const receiver = createServer((_, reply) => reply.writeHead(++webhooks % 3 === 0 ? 503 : 204).end())
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/scrip`

const chain = await startChainStack({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
const { stack } = chain
const people = createPeople(stack)
const hire = await createStaff(stack, people)
const owner = await hire('Olu', 'Adeyemi', 'owner')
const readCode = await enrol(owner)
const kim = await hire('Kim', 'Kasse', 'cashier')
const ann = await hire('Ann', 'Owusu', 'accountant')
await hire('Dev', 'Nkosi', 'developer')
const openAs = createOpenAs(stack, { olu: readCode })
await setManualRate(stack.pool, 'ETH', 'USD', '2000', systemClock)
await eventually(async () => (await stack.query('select from chain_finality', [])).rows.length > 0)

await stack.post('/webhook-endpoints', { url: receiverUrl })
await stack.post('/sandbox/fund', { amount: 12_480.35, currency: 'USD' })
await stack.post(`${server}/brand`, demoBrand)
await stack.post(`${server}/brand/logo`, { image: readDemoLogo() })
const names = [
  ['Ada', 'Obi'],
  ['Ben', 'Mensah'],
  ['Zoe', 'Haile'],
] as const
const newId = createIds(systemClock, systemRandom)
const passwordHash = await hashPassword(password)
for (const [otherNames, surname] of names) {
  const email = `${otherNames.toLowerCase()}@example.com`
  const user = { id: newId(), realm: 'test', email, otherNames, surname, language: 'en' } as const
  await inTransaction(stack.pool, (tx) => insertUser(tx, user, passwordHash, systemClock()))
}

// Customers, one of them with vouchers.
for (const [name, surname] of names)
  await stack.post(`${server}/add-new-customer`, {
    email: `${name.toLowerCase()}@example.com`,
    name: `${name} ${surname}`,
  })
await stack.post(`${server}/vouchers`, { amount: 25, currency: 'USD', forEmail: 'ada@example.com' })

// Invoices in every state.
await stack.post(`${server}/invoice-currencies`, { currencies: ['USD', 'EUR'] })
const submitInvoice = async (fullName: string, description: string, unitPrice: number): Promise<string> => {
  const { data } = await stack.post(`${server}/create-invoice`, {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode: 'CORNER' },
    ...{ email: `${fullName.split(' ')[0]?.toLowerCase()}@supplier.example`, fullName },
    ...{ senderAddress: '1 High Street\nLagos', invoiceItems: [{ description, quantity: 2, unitPrice }] },
    taxes: [{ name: 'VAT', rate: 10 }],
  })
  return String(data.id)
}
const paid = await submitInvoice('Sam Supplier', 'Paper, 80 g', 41.2)
const rejected = await submitInvoice('Rita Rowe', 'Window cleaning', 60)
const open = await submitInvoice('Sam Supplier', 'Shopping bags', 6.25)
await submitInvoice('Paul Printer', 'Posters A2', 118.4)
await ann.post(`${server}/approve-invoice`, { invoiceID: paid, pin })
await ann.post(`${server}/reject-invoice`, { invoiceID: rejected, reason: 'This was billed in May already.' })

// A payout, and a file of payouts with rows that cannot be paid.
await ann.post(`${server}/payout`, {
  ...{ amount: 40, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD', pin },
  ...{ platformUsernameOrEmail: 'ada@example.com' },
})
const csv = [
  'recipient,amount,note',
  ...names.map(([name], n) => `${name.toLowerCase()}@example.com,${(12.5 * (n + 1)).toFixed(2)},June`),
  'nobody@example.com,1.00,',
  'ada@example.com,abc,',
].join('\n')
const checked = await ann.post(`${server}/payout-batches`, { csv, currency: 'USD' })
const sent = await ann.post(`${server}/payout-batches`, {
  ...{ csv, currency: 'USD', pin },
  confirmation: (checked.data as unknown as { check: { confirmation: string } }).check.confirmation,
})
const batchId = (sent.data as unknown as { batch: { id: string } }).batch.id

// Requests: one to a user, one by link.
const table4 = { amount: 42.75, currency: 'USD', reference_id: 'table-4', metadata: { note: 'Table 4' } }
await kim.post(`${api}/payment-request`, { ...table4, user_identifier: 'ada@example.com' })
const link = await kim.post(`${server}/payment-links`, { amount: 8.4, currency: 'USD', note: 'Two coffees' })
const linkReference = (link.data as unknown as { referenceId: string }).referenceId

// Deposits that match no request.
const { rows } = await stack.query(`select id from networks where abbreviation = 'LOCAL'`, [])
for (const [reference, outcome] of [
  ['order-481', 'over'],
  ['order-482', 'under'],
] as const) {
  await stack.post(`${api}/deposit-address-payment-request`, {
    ...{ amount: 20, currency_abbreviation: 'USD', pay_with_currency_abbreviation: 'ETH', reference_id: reference },
    blockchainNetworkId: (rows[0] as { id: string }).id,
  })
  await stack.post(`/sandbox/deposits/${reference}/pay`, { outcome })
}
const caseId = await eventually(async () => {
  const { rows: found } = await stack.query('select id from deposit_cases limit 1', [])
  return (found[0] as { id: string } | undefined)?.id
})

// The team: an open invitation.
await owner.post('/merchant/members', { email: 'lee@corner.example', role: 'cashier', code: readCode() })
const memberOf = await stack.query('select id from users where email = $1', [kim.email])
const endpoint = await stack.query('select id from webhook_endpoints limit 1', [])
const firstOf = (result: { rows: unknown[] }): string => (result.rows[0] as { id: string }).id
await stack.post(`${api}/redeem-voucher`, { voucherCode: 'ABCD-EFGH-JKMN-PQRS', amount: 5, referenceId: 'order-7' })
// The request log is written in batches.
const requestId = await eventually(async () => {
  const { rows: found } = await stack.query(`select id from request_log where status >= 400 limit 1`, [])
  return (found[0] as { id: string } | undefined)?.id
})

const screens: Record<string, string> = {
  invoices: '/invoices',
  'invoices-receive': '/invoices/receive',
  'invoice-pending': `/invoices/${open}`,
  'invoice-paid': `/invoices/${paid}`,
  'invoice-rejected': `/invoices/${rejected}`,
  payouts: '/payouts',
  'payout-new': '/payouts/new',
  'payout-file-new': '/payouts/pay-file',
  'payout-files': '/payouts/files',
  'payout-file': `/payouts/files/${batchId}`,
  deposits: '/deposits',
  deposit: `/deposits/${caseId}`,
  requests: '/requests',
  'request-new': '/requests/new',
  'request-user': '/requests/table-4',
  'request-link': `/requests/${linkReference}`,
  customers: '/customers',
  'customers-import': '/customers/import',
  developers: '/developers',
  keys: '/developers/keys',
  webhooks: '/developers/webhooks',
  endpoint: `/developers/webhooks/${firstOf(endpoint)}`,
  events: '/developers/events',
  'request-log': '/developers/requests',
  'request-logged': `/developers/requests/${requestId}`,
  sandbox: '/developers/sandbox',
  team: '/team',
  member: `/team/${firstOf(memberOf)}`,
  settings: '/settings',
  'settings-locations': '/settings/locations',
  audit: '/audit',
}
const customer = await stack.query(`select id from customers where email = 'ada@example.com'`, [])
screens.customer = `/customers/${firstOf(customer)}`

const shop = `${stack.baseUrl}/dashboard/CORNER/test`
const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }
const faults: string[] = []
let screenshots = 0
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, browserErrors, close } = await openAs('olu', '', { viewport, colorScheme })
    const show = async (to: Page, path: string): Promise<void> => {
      await to.goto(`${shop}${path}`)
      await to.locator('h1').waitFor()
      await settle(to)
    }
    const shoot = async (of: Page, name: string): Promise<void> => {
      await of.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png`, fullPage: true })
      screenshots++
      const isWide = await of.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
      if (isWide === true) faults.push(`${size} ${name}: wider than the screen`)
    }
    for (const [name, path] of Object.entries(screens)) {
      await show(page, path)
      await shoot(page, name)
    }
    for (const text of await shootInFrench(page, screens, show, shoot)) faults.push(`${size} ${text} is cut`)

    // Dialogs and steps.
    await show(page, `/invoices/${open}`)
    await page.getByRole('button', { name: 'Approve', exact: false }).first().click()
    await shoot(page, 'invoice-approve')
    await show(page, '/payouts/pay-file')
    await page.getByLabel('Or paste it here').fill(csv.replaceAll('June', 'July'))
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByRole('table', { name: /will not be paid/ }).waitFor()
    await shoot(page, 'payout-file-checked')
    await show(page, `/deposits/${caseId}`)
    await page.getByRole('button', { name: 'Return to the payer' }).first().click()
    await shoot(page, 'deposit-return')
    await show(page, '/developers/keys')
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await shoot(page, 'key-create')
    await show(page, '/team')
    await page.getByRole('button', { name: 'Invite member' }).first().click()
    await shoot(page, 'team-invite')
    await show(page, '/')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await shoot(page, 'palette')
    const unexpected = browserErrors.filter((text) => !/Failed to load resource/.test(text))
    if (unexpected.length > 0) console.log(unexpected)
    await close()
  }
await chain.stop()
receiver.close()
for (const fault of faults) console.log(fault)
console.log(`screens rooms=${screenshots} faults=${faults.length} folder=.scrip/screens/rooms`)
process.exit(faults.length === 0 ? 0 : 1)
