// Payouts, deposits to review and payment requests in the dashboard: the main job of each page, as each role.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { type ChainStack, eventually, startChainStack } from './chain-stack.ts'
import { findCutText } from './cut-text.ts'
import { createPeople, type People, password, pin } from './people.ts'
import { settle } from './settle.ts'
import type { OpenPage, Stack } from './stack.ts'
import { hireTeam, type Member, type OpenAs, type Team } from './staff.ts'

const server = '/merchant-integrations-server'
const phone = { viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' } as const

let chain: ChainStack
let stack: Stack
let people: People
let team: Team

beforeAll(async () => {
  chain = await startChainStack()
  stack = chain.stack
  people = createPeople(stack)
  team = await hireTeam(stack, people)
  const newId = createIds(systemClock, systemRandom)
  const passwordHash = await hashPassword(password)
  for (const [name, email] of [
    ['Ada', 'ada@example.com'],
    ['Ben', 'ben@example.com'],
  ] as const) {
    const user = { id: newId(), realm: 'test', email, otherNames: name, surname: 'Obi', language: 'en' } as const
    await inTransaction(stack.pool, (tx) => insertUser(tx, user, passwordHash, systemClock()))
  }
  await stack.post('/sandbox/fund', { amount: 5_000, currency: 'USD' })
  // The gas price is known from the first block that the worker has read.
  await eventually(async () => (await stack.query('select from chain_finality', [])).rows.length > 0)
})
afterAll(async () => {
  expect(await verifyLedger(stack.owner)).toEqual([])
  await chain.stop()
})

const shop = () => `${stack.baseUrl}/dashboard/CORNER/test`
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const member = (title: string): Member => team.member(title)
const openAs: OpenAs = (title, path, options) => team.openAs(title, path, options)
/** No serious fault for assistive technology, nothing cut, nothing beyond the edge at twice the font size. */
async function expectSound({ page, browserErrors }: OpenPage): Promise<void> {
  await settle(page)
  expect(await findSerious(page)).toEqual([])
  expect(await findCutText(page)).toEqual([])
  expect(await isWideAtTwice(page)).toBe(false)
  // The first request of a session that is not signed in yet.
  expect(browserErrors.filter((each) => !/status of 40[134]/.test(each))).toEqual([])
}
async function expectSoundOnPhone(role: string, path: string, text: string): Promise<void> {
  const opened = await openAs(role, path, phone)
  await heading(opened.page, text)
  await expectSound(opened)
  await opened.close()
}

test('an accountant pays a user: the name is confirmed first, then the PIN, and the payout is in the list', async () => {
  const opened = await openAs('accountant', '/payouts')
  const { page } = opened
  await says(page, 'No payouts yet')
  await page.getByRole('link', { name: 'Send payout' }).click()
  await press(page, 'Review payout')
  await says(page, 'Enter the username, email address or phone number of the recipient.')
  await page.getByLabel('Recipient', { exact: true }).fill('ada@example.com')
  await page.getByLabel(/^Amount/).fill('12.50')
  await press(page, 'Review payout')
  await says(page, 'Ada Obi')
  await says(page, 'You have never paid this recipient.')
  await expectSound(opened)
  await press(page, 'Pay $12.50')
  await says(page, 'Enter the 6 digits of your PIN.')
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Pay $12.50')
  await heading(page, 'Payout sent')
  await page.getByRole('link', { name: 'Open payout' }).click()
  await says(page, 'Completed')
  await page.goto(`${shop()}/payouts`)
  await page.getByRole('row', { name: /Ada Obi/ }).waitFor()
  await expectSound(opened)
  await opened.close()
  await expectSoundOnPhone('accountant', '/payouts/new', 'Envoyer un versement')
})

const csv = [
  'recipient,amount,note',
  'ada@example.com,5.00,June',
  'ben@example.com,7.25,June',
  'ben@example.com,7.25,again',
  'nobody@example.com,1.00,',
  'ada@example.com,abc,',
].join('\n')

test('an owner pays a file: bad and doubled rows are explained, the others are paid while the page shows it', async () => {
  const opened = await openAs('owner', '/payouts/pay-file')
  const { page } = opened
  await press(page, 'Check file')
  await says(page, 'Choose a file, or paste its content.')
  await page.getByLabel('Or paste it here').fill(csv)
  await press(page, 'Check file')
  const faults = page.getByRole('table', { name: '3 rows will not be paid' })
  await faults.getByText('No user found.').waitFor()
  await faults.getByText(/An earlier row pays this recipient the same amount/).waitFor()
  await faults.getByText(/Enter an amount such as 12.50/).waitFor()
  await expectSound(opened)
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Pay 2 rows, $12.25')
  await heading(page, 'Payout file')
  await says(page, '5 of 5 rows done')
  await page.getByRole('row', { name: /Ben Obi.*Paid.*7\.25/ }).waitFor()
  await page.getByRole('row', { name: /nobody@example\.com.*Not paid.*No user found/ }).waitFor()
  await expectSound(opened)
  const save = page.getByRole('button', { name: 'Save results' })
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()])
  expect(download.suggestedFilename()).toBe('test-payouts.csv')
  const address = new URL(page.url()).pathname.split('/test')[1] ?? ''
  await page.goto(`${shop()}/payouts/pay-file`)
  await page.getByLabel('Or paste it here').fill(csv)
  await press(page, 'Check file')
  await says(page, /You submitted this file before/)
  await opened.close()
  await expectSoundOnPhone('owner', address, 'Fichier de versements')
})

test('a payout file above the threshold waits for a second person, and is paid when one approves it', async () => {
  const limits = (approvalAbove: string) =>
    member('owner').post('/merchant/outflow-limits', { approvalAbove, daily: 'none', newRecipientHours: 0, pin })
  expect((await limits('1')).code).toBe(200)
  const asking = await openAs('accountant', '/payouts/pay-file')
  await asking.page.getByLabel('Or paste it here').fill('recipient,amount\nada@example.com,3\nben@example.com,4\n')
  await press(asking.page, 'Check file')
  await says(asking.page, 'It waits until a second person approves it.')
  await asking.page.getByLabel('Your PIN').fill(pin)
  await press(asking.page, 'Pay 2 rows, $7.00')
  await says(asking.page, /Nothing has left your balance yet/)
  await expectSound(asking)
  const approving = await openAs('owner', '/approvals')
  await approving.page.getByRole('row', { name: /Payout file.*Ada Obi \+1/ }).waitFor()
  await press(approving.page, 'Approve')
  await approving.page.getByLabel('Your PIN').fill(pin)
  await press(approving.page, 'Approve $7.00')
  await says(asking.page, '2 of 2 rows done')
  expect((await limits('none')).code).toBe(200)
  await asking.close()
  await approving.close()
})

/** A completed deposit with as much again as an unmatched deposit. */
async function overpay(reference: string): Promise<void> {
  const { rows } = await stack.query(`select id from networks where abbreviation = 'LOCAL'`, [])
  const made = await stack.post('/merchant-integrations/deposit-address-payment-request', {
    ...{ amount: 20, currency_abbreviation: 'USD', pay_with_currency_abbreviation: 'ETH', reference_id: reference },
    blockchainNetworkId: (rows[0] as { id: string }).id,
  })
  expect(made.code, JSON.stringify(made)).toBe(200)
  expect((await stack.post(`/sandbox/deposits/${reference}/pay`, { outcome: 'over' })).code).toBe(200)
}

test('deposits to review: one is credited, one matched to a payment, one returned by a private link with the PIN', async () => {
  // A rate of crypto is used for five minutes.
  await setManualRate(stack.pool, 'ETH', 'USD', '2000', systemClock)
  for (const reference of ['order-credit', 'order-match', 'order-return']) await overpay(reference)
  await eventually(async () => {
    const { rows } = await stack.query('select count(*)::integer as count from deposit_cases', [])
    return (rows[0] as { count: number }).count === 3
  })
  const opened = await openAs('accountant', '/')
  const { page } = opened
  await says(page, '3 deposits match no request')
  await page.getByRole('link', { name: 'View deposits' }).click()
  await heading(page, 'Deposits to review')
  await expectSound(opened)
  const open = async (reference: string): Promise<void> => {
    await page.goto(`${shop()}/deposits`)
    await page
      .getByRole('row', { name: new RegExp(reference) })
      .getByRole('link')
      .click()
    await heading(page, 'Deposit to review')
    await settle(page)
  }
  await open('order-credit')
  await says(page, 'Paid too much')
  await page.getByRole('table', { name: 'Payments to this address' }).getByText(/0x/).waitFor()
  await expectSound(opened)
  await press(page, 'Credit to balance')
  await page.getByRole('dialog').getByRole('button', { name: 'Credit to balance' }).click()
  await says(page, 'Credited')

  await open('order-match')
  await press(page, 'Match to a payment')
  await page.getByLabel('Reference of the payment').fill('no-such-order')
  await page.getByRole('dialog').getByRole('button', { name: 'Match to a payment' }).click()
  await says(page, 'You have no transaction with this reference.')
  await page.getByLabel('Reference of the payment').fill('order-credit')
  await page.getByRole('dialog').getByRole('button', { name: 'Match to a payment' }).click()
  await says(page, 'Matched')
  await page.getByRole('link', { name: 'order-credit' }).waitFor()

  await open('order-return')
  await press(page, 'Return to the payer')
  await page.getByLabel('Your PIN').fill(pin)
  await page.getByRole('dialog').getByRole('button', { name: 'Return to the payer' }).click()
  await says(page, `${stack.baseUrl}/v#`)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await says(page, 'Returned')

  await page.goto(`${shop()}/deposits`)
  await says(page, 'You’re all caught up')
  await press(page, 'Resolved')
  await page.getByRole('row', { name: /order-return/ }).waitFor()
  await opened.close()
  await expectSoundOnPhone('accountant', '/deposits?state=resolved', 'Dépôts à vérifier')
})

test('a cashier shows a payment link; a customer opens it in the wallet app and pays; the cashier sees it live', async () => {
  const ada = people.createVisitor('test')
  await ada.signIn('ada@example.com')
  expect((await ada.post('/me/pin', { pin, password })).code).toBe(200)
  await stack.post('/sandbox/fund', { amount: 50, currency: 'USD', user: 'ada@example.com' })
  const till = await openAs('cashier', '/requests')
  const { page } = till
  await page.getByRole('link', { name: 'Request payment' }).first().click()
  await page.getByLabel(/^Amount/).fill('8.40')
  await page.getByLabel('Note').fill('Two coffees')
  await press(page, 'Create link for $8.40')
  await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
  await expectSound(till)
  const link = (await page.locator('.request-link').textContent()) ?? ''
  const wallet = await stack.open({ viewport: { width: 390, height: 844 } })
  await wallet.page.goto(link)
  await wallet.page.getByLabel('Email address').fill('ada@example.com')
  await wallet.page.getByLabel('Password').fill(password)
  await wallet.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await says(wallet.page, 'Two coffees')
  expect(await wallet.page.getByRole('button', { name: 'Decline' }).count()).toBe(0)
  await wallet.page.getByLabel('Your PIN').fill(pin)
  await press(wallet.page, /^Pay/)
  await says(wallet.page, 'Payment complete')
  await says(page, '$8.40 is on your balance.')
  await says(page, 'Ada Obi')
  await wallet.close()
  await till.close()
})

test('a cashier asks a user by name and withdraws the request; an accountant only reads it', async () => {
  const till = await openAs('cashier', '/requests/new')
  const { page } = till
  await press(page, 'User')
  await page.getByLabel(/^Amount/).fill('3')
  await page.getByLabel('Customer').fill('ben@example.com')
  await press(page, 'Find customer')
  await says(page, 'Ask Ben Obi? Check that it is the right person.')
  await press(page, 'Request $3.00')
  await says(page, 'Waiting for the customer')
  const address = new URL(page.url()).pathname.split('/test')[1] ?? ''
  const reading = await openAs('accountant', address)
  await says(reading.page, 'Ben Obi')
  expect(await reading.page.getByRole('button', { name: 'Cancel request' }).count()).toBe(0)
  await expectSound(reading)
  await reading.close()
  await press(page, 'Cancel request')
  await says(page, 'Cancelled by the shop')
  await page.goto(`${shop()}/requests`)
  await page.getByRole('row', { name: /Ben Obi/ }).waitFor()
  await expectSound(till)
  await till.close()
  await expectSoundOnPhone('cashier', '/requests/new', 'Demander un paiement')
})

test('what a role may not see is not in its navigation, its address shows nothing, and the API answers 403', async () => {
  const forbidden = {
    cashier: [`${server}/payout-batches`, '/merchant/payouts', `${server}/deposit-cases`, '/merchant/payments'],
    developer: [
      ...[`${server}/payout-batches`, '/merchant/payouts', `${server}/deposit-cases`],
      '/merchant/payment-requests',
    ],
  }
  for (const [role, paths] of Object.entries(forbidden)) {
    for (const path of paths) expect([role, path, (await member(role).get(path)).code]).toEqual([role, path, 403])
    const { page, close } = await openAs(role, '/payouts')
    await heading(page, 'Page not found')
    expect(await page.getByRole('link', { name: 'Payouts' }).count()).toBe(0)
    await page.goto(`${shop()}/deposits`)
    await heading(page, 'Page not found')
    await close()
  }
  const preview = await member('cashier').post('/merchant/payouts/preview', {
    ...{ amount: 1, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' },
    platformUsernameOrEmail: 'ada@example.com',
  })
  expect(preview.code).toBe(403)
  expect((await member('accountant').post(`${server}/payment-links`, { amount: 1, currency: 'USD' })).code).toBe(403)
})
