// Access to every endpoint by every role. The table is written by hand, independent of the code that it checks: an
// endpoint that is missing, or that allows other roles, fails here.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addMember, addPerson } from '../local/test/visitor.ts'
import type { Access } from './identity/merchant/guard.ts'

const roles = ['owner', 'developer', 'cashier', 'accountant'] as const
const [own, server] = ['/merchant-integrations', '/merchant-integrations-server']

// The initials of roles with access besides the owner: developer, cashier, accountant.
const table: Record<string, string> = {
  [`GET ${own}/fetch-supported-currencies`]: 'dca',
  [`GET ${own}/fetch-supported-cryptonetworks`]: 'dca',
  [`GET ${own}/fetch-balance`]: 'da',
  [`GET ${server}/admin-balance`]: 'da',
  [`GET ${own}/fetch-admin-charges`]: 'da',
  [`POST ${own}/update-admin-charges`]: '',
  [`POST ${server}/add-new-customer`]: 'ca',
  [`POST ${server}/update-customer`]: 'ca',
  [`DELETE ${own}/delete-customer/:customerID`]: 'a',
  'GET /merchant/customers': 'a',
  'GET /merchant/customers/:id': 'a',
  'GET /merchant/customers.csv': 'a',
  'POST /merchant/customers/import': 'a',
  [`GET ${own}/fetch-customers`]: 'dca',
  [`GET ${server}/verify-transaction/:referenceID`]: 'dca',
  [`GET ${server}/transactions`]: 'da',
  [`POST ${server}/transactions/:referenceID/receipt`]: 'ca',
  [`POST ${server}/refund`]: 'a',
  [`POST ${own}/verify-voucher`]: 'dca',
  [`POST ${own}/fetch-voucher-redemption-charges`]: 'dca',
  [`POST ${own}/redeem-voucher`]: 'c',
  [`POST ${own}/voucher-holds`]: 'c',
  [`POST ${server}/voucher-holds/:id/capture`]: 'c',
  [`POST ${server}/voucher-holds/:id/release`]: 'c',
  [`POST ${server}/voucher-holds/:id/extend`]: 'c',
  [`GET ${server}/voucher-holds`]: 'ca',
  [`GET ${server}/voucher-holds/:id`]: 'ca',
  'POST /sandbox/voucher-holds/:id/expire': 'd',
  [`POST ${server}/vouchers`]: 'a',
  [`GET ${server}/vouchers`]: 'a',
  [`POST ${server}/vouchers/:id/code`]: 'a',
  [`POST ${server}/vouchers/:id/cancel`]: 'a',
  [`POST ${server}/vouchers/:id/block`]: 'a',
  [`POST ${server}/vouchers/:id/unblock`]: 'a',
  [`POST ${server}/vouchers/:id/replace`]: 'a',
  [`POST ${server}/vouchers/:id/reset-pin`]: 'a',
  [`POST ${server}/vouchers/:id/reopen`]: 'a',
  [`POST ${server}/voucher-batches`]: 'a',
  [`POST ${server}/voucher-cards`]: 'a',
  [`POST ${server}/voucher-sales`]: 'ca',
  [`GET ${server}/voucher-sales`]: 'ca',
  [`GET ${server}/voucher-sales/:id`]: 'ca',
  [`POST ${server}/voucher-sales/:id/void`]: 'ca',
  [`POST ${server}/voucher-reloads`]: 'ca',
  [`POST ${server}/voucher-cash-backs`]: 'ca',
  [`POST ${server}/voucher-cash-backs/offer`]: 'ca',
  [`POST ${server}/vouchers/:id/send`]: 'ca',
  'GET /merchant/sale-limits': 'a',
  'POST /merchant/sale-limits': '',
  'GET /merchant/sales-report': 'ca',
  [`GET ${server}/locations`]: 'dca',
  [`POST ${server}/locations`]: '',
  [`POST ${server}/locations/:id`]: '',
  [`DELETE ${server}/locations/:id`]: '',
  [`POST ${server}/locations/:id/registers`]: '',
  [`DELETE ${server}/registers/:id`]: '',
  'GET /merchant/registers/:id/shift': 'ca',
  'POST /merchant/shifts': 'c',
  'POST /merchant/shifts/:id/close': 'ca',
  [`GET ${server}/voucher-batches`]: 'a',
  [`GET ${server}/voucher-batches/:id`]: 'a',
  [`GET ${server}/voucher-batches/:id/vouchers.csv`]: 'a',
  [`GET ${server}/voucher-batches/:id/vouchers.pdf`]: 'a',
  [`POST ${server}/voucher-imports`]: 'a',
  'POST /webhook-endpoints': 'd',
  'GET /webhook-endpoints': 'd',
  'GET /webhook-endpoints/:id': 'd',
  'POST /webhook-endpoints/:id': 'd',
  'DELETE /webhook-endpoints/:id': 'd',
  'POST /webhook-endpoints/:id/rotate-secret': 'd',
  'POST /webhook-endpoints/:id/test': 'd',
  'GET /webhook-endpoints/:id/deliveries': 'd',
  'GET /webhook-endpoints/:id/deliveries/:eventId': 'd',
  'POST /webhook-endpoints/:id/deliveries/:eventId/replay': 'd',
  'POST /webhook-endpoints/:id/replay-failed': 'd',
  'GET /events': 'd',
  'GET /events/stream': 'd',
  'POST /sandbox/fund': 'd',
  'POST /sandbox/vouchers': 'd',
  [`GET ${own}/confirm-user/:identifier`]: 'dca',
  [`POST ${own}/payment-request`]: 'c',
  [`POST ${server}/payment-requests/:reference/cancel`]: 'c',
  [`POST ${server}/payment-links`]: 'c',
  'GET /merchant/payment-requests': 'ca',
  'GET /merchant/payment-requests/:reference': 'ca',
  'POST /sandbox/payment-requests/:reference/authorise': 'd',
  'POST /sandbox/payment-requests/:reference/decline': 'd',
  [`POST ${server}/payout`]: 'a',
  'POST /merchant/payouts/preview': 'a',
  'GET /merchant/payouts': 'a',
  [`POST ${server}/payout-batches`]: 'a',
  [`GET ${server}/payout-batches`]: 'a',
  [`GET ${server}/payout-batches/:id`]: 'a',
  [`GET ${server}/payout-batches/:id/rows`]: 'a',
  'GET /merchant/payout-batches/:id/results.csv': 'a',
  [`POST ${server}/payouts/:reference/cancel`]: 'a',
  [`POST ${server}/outflows/:reference/cancel`]: 'a',
  'GET /merchant/outflows': 'a',
  'POST /merchant/outflows/:reference/approve': 'a',
  'POST /merchant/payouts/:reference/approve': 'a',
  'GET /merchant/outflow-limits': 'a',
  'POST /merchant/outflow-limits': '',
  'POST /merchant/payout-limits': '',
  [`POST ${server}/create-invoice`]: 'ca',
  [`GET ${server}/fetch-invoice`]: 'a',
  [`POST ${server}/approve-invoice`]: 'a',
  [`POST ${server}/reject-invoice`]: 'a',
  [`POST ${server}/pay-invoice`]: 'a',
  [`GET ${server}/invoices/:id`]: 'a',
  [`POST ${server}/invoices/:id/revoke-links`]: 'a',
  [`GET ${server}/invoices/:id/invoice.pdf`]: 'a',
  'GET /merchant/invoices/:id/attachments/:attachmentId': 'a',
  'GET /merchant/invoices': 'a',
  'GET /merchant/invoices/:id': 'a',
  'POST /merchant/invoices/:id/approve': 'a',
  'POST /merchant/invoices/:id/reject': 'a',
  'POST /merchant/invoices/:id/pay': 'a',
  [`GET ${server}/invoice-currencies`]: 'a',
  [`POST ${server}/invoice-currencies`]: 'a',
  [`POST ${own}/request-wallet-deposit-charges`]: 'c',
  [`POST ${own}/deposit-address-payment-request`]: 'c',
  [`GET ${server}/brand`]: 'dca',
  [`POST ${server}/brand`]: '',
  [`POST ${server}/brand/logo`]: '',
  [`DELETE ${server}/brand/logo`]: '',
  [`GET ${server}/deposit-settings`]: 'da',
  [`POST ${server}/deposit-settings`]: 'a',
  [`GET ${server}/deposit-cases`]: 'a',
  [`GET ${server}/deposit-cases/:id`]: 'a',
  [`POST ${server}/deposit-cases/:id/credit`]: 'a',
  [`POST ${server}/deposit-cases/:id/match`]: 'a',
  [`POST ${server}/deposit-cases/:id/return`]: 'a',
  'POST /sandbox/deposits/:reference/pay': 'd',
  'GET /merchant/home': 'da',
  'GET /merchant/payments': 'da',
  'GET /merchant/payments.csv': 'da',
  'GET /merchant/payments/:reference': 'da',
  'GET /merchant/members/names': 'da',
  'GET /merchant/stream': 'dca',
  'GET /merchant/issued': 'a',
  'GET /merchant/issued.csv': 'a',
  'GET /merchant/issued/:id': 'a',
  'POST /merchant/issued/:id/code': 'a',
  'GET /merchant/till': 'c',
  'POST /merchant/till/switch': 'c',
  'POST /merchant/till/store-voucher': 'ca',
  'GET /merchant/till/sales': 'c',
  'GET /merchant/day-count': 'ca',
  'GET /merchant/reports/liability': 'a',
  'GET /merchant/reports/liability.csv': 'a',
  'GET /merchant/reports/fees': 'a',
  'GET /merchant/reports/fees.csv': 'a',
  'GET /merchant/reports/balance': 'a',
  'GET /merchant/reports/statement': 'a',
  'GET /merchant/reports/statement.csv': 'a',
  'GET /merchant/reports/totals': 'a',
  'GET /merchant/reports/journals.csv': 'a',
  'GET /merchant/reports/account-numbers': 'a',
  'POST /merchant/reports/account-numbers': 'a',
  [`GET ${server}/reports/liability`]: 'a',
  [`GET ${server}/reports/liability.csv`]: 'a',
  [`GET ${server}/reports/fees`]: 'a',
  [`GET ${server}/reports/fees.csv`]: 'a',
  [`GET ${server}/reports/balance`]: 'a',
  [`GET ${server}/reports/statement`]: 'a',
  [`GET ${server}/reports/statement.csv`]: 'a',
  [`GET ${server}/reports/totals`]: 'a',
  [`GET ${server}/reports/journals.csv`]: 'a',
  [`GET ${server}/reports/account-numbers`]: 'a',
  [`POST ${server}/reports/account-numbers`]: 'a',
  'GET /merchant/members': '',
  'POST /merchant/members': '',
  'POST /merchant/members/:id': '',
  'GET /merchant/members/:id/sessions': '',
  'POST /merchant/members/:id/sessions/end': '',
  'POST /merchant/members/:id/sessions/:sessionId/end': '',
  'POST /merchant/invitations/resend': '',
  'POST /merchant/invitations/withdraw': '',
  'GET /merchant/acts': '',
  'GET /merchant/keys': 'd',
  'POST /merchant/keys': 'd',
  'POST /merchant/keys/:id/rotate': 'd',
  'POST /merchant/keys/:id/revoke': 'd',
  'GET /merchant/events': 'd',
  'GET /merchant/events/:position': 'd',
  'GET /merchant/event-types': 'd',
  'GET /merchant/webhook-health': 'd',
  'GET /merchant/requests': 'd',
  'GET /merchant/requests/:id': 'd',
  'GET /merchant/integration-checklist': 'd',
  'GET /merchant/acts.csv': '',
  'GET /merchant/settings': 'a',
  'POST /merchant/settings': '',
}

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.app.ready()
})
afterAll(() => world.close())

const nameOf = ({ method, url }: Access): string => `${method} ${url}`
const keyed = (): Access[] =>
  world.access.filter(({ credentials = '' }) => ['public', 'secret', 'member'].includes(credentials))
const ofPeople = (kind: string): Access[] => world.access.filter(({ credentials }) => credentials === kind)

async function requestAs(who: { ask: (typeof members)[number]['ask'] }, { method, url }: Access) {
  // Streams stay open for ten minutes, so only refusals are tested there.
  const path = url.replaceAll(/:\w+/g, world.newId())
  const reply = await who.ask(method as 'GET', path, method === 'POST' ? {} : undefined)
  return { status: reply.status, code: reply.text.startsWith('{') ? (reply.json().error?.code ?? '') : '' }
}
let members: Awaited<ReturnType<typeof addMember>>[] = []

test('the table lists exactly the endpoints for staff and API keys', () => {
  expect(keyed().map(nameOf).sort()).toEqual(Object.keys(table).sort())
})

test('every role has access to the endpoints of the table and to no others', async () => {
  members = []
  for (const role of roles) members.push(await addMember(world, world.ours, role))
  const wrong: string[] = []
  for (const endpoint of keyed())
    for (const [i, role] of roles.entries()) {
      const member = members[i]
      const may = role === 'owner' || (table[nameOf(endpoint)] ?? '').includes(role[0] ?? '')
      if (member === undefined || (may && endpoint.url.endsWith('/stream'))) continue
      const { status, code } = await requestAs(member, endpoint)
      const isLetIn = code !== 'ROLE_FORBIDDEN' && status !== 401
      if (isLetIn !== may) wrong.push(`${role} ${nameOf(endpoint)}: ${status} ${code}`)
    }
  expect(wrong).toEqual([])
})

test('staff of another merchant and wallet users have no access to any endpoint of the table', async () => {
  const [stranger, wallet] = [await addMember(world, world.theirs, 'owner'), await addPerson(world, 'test')]
  const ofOurs = { 'scrip-merchant': world.ours.code, 'scrip-mode': 'test' }
  for (const endpoint of keyed()) {
    const elsewhere = await requestAs({ ask: (m, p, b) => stranger.ask(m, p, b, ofOurs) }, endpoint)
    expect([nameOf(endpoint), elsewhere.code]).toEqual([nameOf(endpoint), 'MERCHANT_NOT_FOUND'])
    const person = await requestAs({ ask: (m, p, b) => wallet.ask(m, p, b, ofOurs) }, endpoint)
    expect([nameOf(endpoint), person.code]).toEqual([nameOf(endpoint), 'SESSION_MISSING'])
  }
})

test('endpoints for wallets, staff and operators refuse other sessions and API keys', async () => {
  const [owner, wallet] = [await addMember(world, world.ours, 'owner'), await addPerson(world, 'test')]
  const keys = { authorization: `Bearer ${world.ours.publicKey}`, 'x-api-private-key': world.ours.secretKey }
  for (const kind of ['wallet', 'operator', 'user', 'member'])
    for (const endpoint of ofPeople(kind)) {
      const byKey = await requestAs({ ask: (m, p, b) => wallet.ask(m, p, b, { ...keys, cookie: '' }) }, endpoint)
      expect([nameOf(endpoint), byKey.status]).toEqual([nameOf(endpoint), 401])
    }
  for (const endpoint of ofPeople('wallet')) expect((await requestAs(owner, endpoint)).code).toBe('SESSION_MISSING')
  for (const endpoint of ofPeople('operator')) {
    expect((await requestAs(owner, endpoint)).code).toBe('OPERATOR_ONLY')
    expect((await requestAs(wallet, endpoint)).code).toBe('SESSION_MISSING')
  }
})
