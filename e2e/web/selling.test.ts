// Store vouchers at the till in a real browser: sold, activated, reloaded, undone and paid back, in shifts at registers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { expectFieldError } from './field-error.ts'
import { createPeople, type People, pin, until } from './people.ts'
import { settle } from './settle.ts'
import { type Stack, startStack } from './stack.ts'
import { hireTeam, type Member, type OpenAs, type Team } from './staff.ts'

let stack: Stack
let people: People
let register = ''
let team: Team
const server = '/merchant-integrations-server'

beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  team = await hireTeam(stack, people)
  const location = idOf(await stack.post(`${server}/locations`, { name: 'High Street', address: '1 High Street' }))
  register = idOf(await stack.post(`${server}/locations/${location}/registers`, { name: 'Register 1' }))
})
afterAll(() => stack.stop())

const idOf = ({ data }: { readonly data: object }): string => (data as { id: string }).id
const shop = () => `${stack.baseUrl}/dashboard/CORNER/test`
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const focused = (page: Page, text: string) => page.locator('button:focus', { hasText: text }).waitFor()
/** Confirms the end of a sale with the button that has the focus. */
const goOn = async (page: Page): Promise<void> => {
  await focused(page, 'Next customer')
  await page.keyboard.press('Enter')
}
const member = (title: string): Member => team.member(title)
const openAs: OpenAs = (title, path, options) => team.openAs(title, path, options)

type Voucher = { readonly id: string; readonly code: string; readonly balance: number }
const sellByKey = async (body: object = {}): Promise<Voucher> => {
  const { data } = await stack.post(`${server}/voucher-sales`, { amount: 60, currency: 'USD', tender: 'card', ...body })
  return data.voucher as Voucher
}
const redeem = (voucherCode: string, amount: number) =>
  stack.post('/merchant-integrations/redeem-voucher', { voucherCode, amount })
const balanceOf = async (voucherCode: string): Promise<unknown> =>
  (await stack.post('/merchant-integrations/verify-voucher', { voucherCode })).data.balance
const countSales = async (): Promise<number> => {
  const { rows } = await stack.query('select count(*)::integer as count from voucher_sales', [])
  return (rows[0] as { count: number }).count
}

/** The codes of cards that wait to be sold. */
async function makeCards(body: object): Promise<string[]> {
  const id = idOf(await stack.post(`${server}/voucher-cards`, { currency: 'USD', size: 2, ...body }))
  const csv = await until(async () => {
    const response = await stack.fetch(`${server}/voucher-batches/${id}/vouchers.csv`)
    return response.status === 200 ? response.text() : undefined
  })
  return csv
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[1] ?? '')
}

const scan = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('Voucher code').waitFor()
  await page.keyboard.type(code.replaceAll('-', '').toLowerCase())
  await page.keyboard.press('Enter')
}

/** Moves the focus with Tab alone. */
async function tabTo(page: Page, name: string | RegExp, role: 'button' | 'link' | 'combobox' = 'button') {
  const target = page.getByRole(role, { name, exact: true }).first()
  await target.waitFor()
  for (let presses = 0; presses < 60; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${String(name)}.`)
}

test('a day at a register by keyboard alone: open a shift, sell, activate, reload, redeem, undo, pay back and close', async () => {
  const [card = ''] = await makeCards({ amount: 25 })
  const { page, browserErrors, close } = await openAs('cashier', '/till')
  const { keyboard } = page
  await tabTo(page, 'Sell voucher', 'link')
  await keyboard.press('Enter')
  await heading(page, 'Sell voucher')

  // The register of this device, chosen in its list.
  await page.getByRole('combobox', { name: 'Register' }).waitFor()
  await page.getByRole('combobox', { name: 'Register' }).focus()
  await keyboard.type('High')
  await keyboard.press('Enter')
  await says(page, /No shift is open at High Street · Register 1/)
  await tabTo(page, 'Open shift')
  await keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Opening float').waitFor()
  await keyboard.type('100')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // Sell for cash. A first Enter goes to the button, a second one sells.
  await page.getByLabel('Amount (USD)').focus()
  await keyboard.type('50')
  await keyboard.press('Enter')
  await focused(page, 'Sell voucher for $50.00')
  await page.getByLabel('Cash received (USD)').focus()
  await keyboard.type('60')
  await says(page, 'Change due')
  expect(await countSales()).toBe(0)
  await keyboard.press('Enter')
  await focused(page, 'Sell voucher for $50.00')
  await keyboard.press('Enter')
  await says(page, 'Voucher sold')
  await says(page, 'Give $10.00 change.')
  await page.getByRole('img', { name: 'QR code of the voucher' }).waitFor()
  const code = await page.locator('.ticket-code').innerText()
  expect(await balanceOf(code)).toBe(50)
  await page.locator('.slip').getByText('Kim Kasse').waitFor()
  await page.locator('.slip').getByText('Register 1, High Street').waitFor()
  const sheet = await page.pdf({ preferCSSPageSize: true })
  // 80 mm of paper, in points.
  expect(/MediaBox \[0 0 (\d+)/.exec(sheet.toString('latin1'))?.[1]).toMatch(/^22[67]$/)
  await goOn(page)
  await page.getByLabel('Amount (USD)').waitFor()

  // A card that is scanned at the till is sold with its printed amount.
  await page.goto(`${shop()}/till`)
  await scan(page, card)
  await says(page, 'Printed on the card')
  await tabTo(page, 'Activate card for $25.00')
  await keyboard.press('Enter')
  await says(page, 'Card activated')
  expect(await balanceOf(card)).toBe(25)
  await goOn(page)

  // Reload it.
  await scan(page, card)
  await tabTo(page, 'Reload')
  await keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Amount (USD)').focus()
  await keyboard.type('10')
  await keyboard.press('Enter')
  await says(page, 'Voucher reloaded')
  expect(await balanceOf(card)).toBe(35)
  await goOn(page)

  // Redeem a part.
  await scan(page, card)
  await page.getByLabel('Amount (USD)').waitFor()
  await keyboard.type('5')
  await keyboard.press('Enter')
  await focused(page, 'Charge $5.00')
  await keyboard.press('Enter')
  await goOn(page)

  // The sale of the first voucher is undone: nothing of it was spent.
  await scan(page, code)
  await tabTo(page, 'Undo sale')
  await keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').waitFor()
  await keyboard.type('mistyped')
  await keyboard.press('Enter')
  await page.getByRole('status').getByText('Sale undone').waitFor()
  await says(page, 'Give back $50.00 (cash).')
  await goOn(page)
  await scan(page, code)
  await says(page, 'This voucher was cancelled.')

  // What is left of the card is paid back. It can no longer be undone.
  await page.getByLabel('Voucher code').fill('')
  await scan(page, card)
  await page.getByRole('button', { name: 'Pay back' }).waitFor()
  expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0)
  await tabTo(page, 'Pay back')
  await keyboard.press('Enter')
  await tabTo(page, 'Pay back $30.00')
  await keyboard.press('Enter')
  await says(page, 'Voucher paid back')

  // 100 + 50 + 25 + 10 − 50 − 30 should be in the drawer.
  await page.goto(`${shop()}/sell/shift`)
  await page.getByLabel('Counted cash (USD)').waitFor()
  await keyboard.type('103.50')
  await keyboard.press('Enter')
  await expectFieldError(page, 'Note', 'The count differs from the expected cash. Count again, or write why.')
  // The focus follows in the next frame.
  await page.getByLabel('Note', { exact: true }).and(page.locator(':focus')).fill('A coin fell behind the drawer')
  await keyboard.press('Enter')
  await heading(page, 'Shift closed')
  for (const [name, amount] of [
    ['Expected cash', '105.00'],
    ['Counted cash', '103.50'],
    ['Difference', '1.50'],
  ] as const)
    await page.locator('dl > div', { hasText: name }).getByText(amount).waitFor()

  // The receipts again, and the report of the cashier.
  await page.goto(`${shop()}/sell/sales`)
  await page.getByRole('row', { name: /Paid back/ }).waitFor()
  expect(await page.getByRole('row').count()).toBe(6)
  await page
    .getByRole('row', { name: /Sale undone/ })
    .getByRole('button')
    .click()
  await page.getByRole('dialog').getByText('mistyped').waitFor()
  await page.goto(`${shop()}/day`)
  await says(page, 'A coin fell behind the drawer')
  await page.getByRole('table', { name: 'Register 1, High Street' }).getByText('85.00').first().waitFor()
  // The first request had no session yet, a card cannot be verified before it is sold, and one voucher was cancelled.
  expect(browserErrors.filter((each) => !/status of (401|409|422)/.test(each))).toEqual([])
  await close()
})

test.for(['before', 'after'] as const)(
  'the network fails %s the server sells: the page shows that it checks, and one voucher is sold',
  async (moment) => {
    const { page, close } = await openAs('cashier', '/sell')
    let isCut = true
    await page.route('**/voucher-sales', async (route) => {
      if (!isCut) return route.fallback()
      if (moment === 'after') await route.fetch()
      await route.abort()
    })
    const before = await countSales()
    await page.getByLabel('Amount (USD)').fill('20')
    await page.getByRole('group', { name: 'Payment' }).getByRole('button', { name: 'Card' }).click()
    await page.getByRole('button', { name: 'Sell voucher for $20.00' }).dblclick()
    await page.getByRole('status').getByText('Checking').waitFor()
    await page.keyboard.press('Escape')
    isCut = false
    await says(page, 'Voucher sold')
    expect(await countSales()).toBe(before + 1)
    await close()
  },
)

test('a promotion and a free voucher need a reason or a price, and the PIN of the staff member', async () => {
  const { page, close } = await openAs('owner', '/sell')
  await page.getByLabel('Amount (USD)').fill('60')
  await press(page, 'Sell for a lower price')
  await page.getByLabel('Price (USD)').fill('70')
  await press(page, /^Sell voucher for/)
  await expectFieldError(page, 'Price (USD)', 'The price must be lower than the amount.')
  await page.getByLabel('Price (USD)').fill('50')
  await says(page, '10.00')
  await press(page, 'Sell voucher for $50.00')
  await expectFieldError(page, 'Your PIN', 'Enter the 6 digits of your PIN.')
  await page.getByLabel('Your PIN').fill('000000')
  await press(page, 'Sell voucher for $50.00')
  await says(page, 'Incorrect PIN.')
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Sell voucher for $50.00')
  await says(page, 'Voucher sold')
  await press(page, 'Next customer')
  await page.getByLabel('Amount (USD)').fill('15')
  await press(page, 'Free')
  await press(page, 'Give away $15.00')
  await expectFieldError(page, 'Reason', 'Enter why the voucher is free.')
  await page.getByLabel('Reason').fill('Late order')
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Give away $15.00')
  await says(page, 'Voucher sold')
  await page.locator('.slip').getByText('Late order').waitFor()
  await close()
})

test('a gift is emailed, its code is not shown at the till, and an accountant sends it again', async () => {
  const { page, close } = await openAs('accountant', '/vouchers')
  await page.getByRole('link', { name: 'Sell voucher' }).click()
  await page.getByLabel('Amount (USD)').fill('25')
  await press(page, 'Email')
  await press(page, 'Sell voucher for $25.00')
  await expectFieldError(page, 'Recipient’s email', 'Enter an email address, e.g. eve@example.com.')
  await page.getByLabel('Recipient’s email').fill('eve@example.com')
  await page.getByLabel('From').fill('Grandma Jo')
  await page.getByLabel('Message').fill('For your new books.')
  await page.getByRole('group', { name: 'Payment' }).getByRole('button', { name: 'Card' }).click()
  await press(page, 'Sell voucher for $25.00')
  await says(page, 'The voucher is on its way to eve@example.com.')
  expect(await page.locator('.ticket-code').count()).toBe(0)
  expect((await people.mailTo('eve@example.com', /./)).text).toContain('For your new books.')
  await page.goto(`${shop()}/vouchers?search=eve@example.com`)
  await page.getByRole('row').nth(1).getByRole('link').click()
  await says(page, 'Grandma Jo')
  await press(page, 'Send again')
  await page.getByRole('dialog').getByLabel('Recipient’s email').fill('eve@work.example')
  await page.getByLabel('Your PIN', { exact: true }).fill(pin)
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  await says(page, 'The gift is on its way to eve@work.example.')
  await people.mailTo('eve@work.example', /./)
  await close()
})

test('a locked voucher is paid back with its PIN, in proportion to its price, also after it was used meanwhile', async () => {
  const { code } = await sellByKey({ price: 50, lockPin: '4821' })
  const { page, close } = await openAs('cashier', '/till')
  await scan(page, code)
  await press(page, 'Pay back')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Voucher PIN').fill('0000')
  await dialog.getByRole('button', { name: 'Show amount' }).click()
  await dialog.getByText('Incorrect voucher PIN.').waitFor()
  await dialog.getByLabel('Voucher PIN').fill('4821')
  await dialog.getByRole('button', { name: 'Show amount' }).click()
  await dialog.getByRole('button', { name: 'Pay back $50.00' }).waitFor()
  expect(await findSerious(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Card' }).click()
  await dialog.getByRole('button', { name: 'Pay back $50.00' }).click()
  await says(page, 'Give back $50.00 (card).')
  await close()
})

test('a platform voucher has no acts of a store voucher, and an empty store voucher can be reloaded', async () => {
  const { data } = await stack.post('/sandbox/vouchers', { amount: 10, currency: 'USD' })
  const { page, close } = await openAs('cashier', '/till')
  await scan(page, (data as { code: string }).code)
  await page.getByLabel('Amount (USD)').waitFor()
  await settle(page)
  expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  const { code } = await sellByKey()
  await redeem(code, 60)
  await scan(page, code)
  await says(page, 'This voucher has no balance left.')
  await press(page, 'Reload')
  await page.getByRole('dialog').getByLabel('Amount (USD)').fill('5')
  await page.getByRole('dialog').getByRole('group', { name: 'Payment' }).getByRole('button', { name: 'Bank' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reload $5.00' }).click()
  await says(page, 'Voucher reloaded')
  expect(await balanceOf(code)).toBe(5)
  await close()
})

test('a voucher with rules asks for the total and the order, names its customer, and is not used twice for an order', async () => {
  const rules = { minimumPurchase: 40, onePerOrder: true, userIdentifier: 'ada' }
  await people.signUp('ada@example.com', 'ada')
  const [first, second] = [await sellByKey({ rules }), await sellByKey({ rules })]
  const { page, close } = await openAs('cashier', '/till')
  const charge = async (code: string, purchase: string, order: string): Promise<void> => {
    await scan(page, code)
    await page.getByLabel('Amount (USD)').fill('10')
    await page.getByLabel('Total of the purchase (USD)').fill(purchase)
    await page.getByLabel('Order number').fill(order)
    await press(page, 'Continue')
  }
  await charge(first.code, '39.99', 'A-17')
  await says(page, 'This voucher is for ada only. Check who the customer is.')
  await says(page, 'The purchase is below the minimum of this voucher.')
  await page.getByLabel('Total of the purchase (USD)').fill('40')
  await press(page, 'Continue')
  await press(page, 'Charge $10.00')
  await goOn(page)
  await charge(second.code, '80', 'A-17')
  await says(page, 'A voucher like this was already used for this order.')
  expect([await balanceOf(first.code), await balanceOf(second.code)]).toEqual([50, 60])
  await close()
})

test('an owner adds a location and a register, makes cards, and sets limits that a cashier meets', async () => {
  const { page, close } = await openAs('owner', '/settings')
  await page.getByRole('link', { name: 'Manage locations' }).click()
  await press(page, 'Add location')
  await page.getByRole('dialog').getByRole('button', { name: 'Add location' }).click()
  await expectFieldError(page, 'Name', 'Enter a name.')
  await page.getByLabel('Name').fill('Airport')
  await page.getByLabel('Address').fill('Terminal 2\nLagos')
  await page.keyboard.press('Tab')
  await page.getByRole('dialog').getByRole('button', { name: 'Add location' }).click()
  await says(page, 'Location added.')
  const airport = page.locator('.card', { hasText: 'Airport' })
  await airport.getByRole('button', { name: 'Add register' }).click()
  await page.getByLabel('Name of the register').fill('Kiosk')
  await page.keyboard.press('Enter')
  await airport.getByText('Kiosk').waitFor()
  await airport.getByRole('button', { name: 'Remove Airport' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await airport.waitFor({ state: 'detached' })

  await page.goto(`${shop()}/vouchers/issue-many`)
  await press(page, 'Cards to sell')
  await page.getByLabel('How many').fill('3')
  await press(page, 'Make 3 cards')
  await says(page, 'Decided at the sale')
  await page.getByRole('button', { name: 'Download CSV' }).waitFor()

  await page.goto(`${shop()}/approvals`)
  await press(page, 'Change sale limits')
  await page.getByLabel('Each cashier (USD)').fill('500')
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Save sale limits')
  await says(page, 'Sale limits saved.')
  const sold = await member('cashier').post(`${server}/voucher-sales`, { amount: 501, currency: 'USD', tender: 'card' })
  expect(sold.error?.code).toBe('SALE_ABOVE_DAILY')
  await close()
})

test.for([
  ['cashier', true],
  ['accountant', true],
  ['owner', true],
  ['developer', false],
] as const)('a %s reaches the screens that sell: %s', async ([role, maySell]) => {
  const { page, close } = await openAs(role, '/sell')
  await heading(page, maySell ? 'Sell voucher' : 'Page not found')
  expect((await member(role).get(`${server}/voucher-sales`)).code).toBe(maySell ? 200 : 403)
  await page.goto(`${shop()}/settings/locations`)
  await heading(page, role === 'owner' ? 'Locations and registers' : 'Page not found')
  await close()
})

test('on a phone, a voucher is sold with the keys on the page', async () => {
  const { page, close } = await openAs('owner', '/sell', { viewport: { width: 390, height: 844 }, hasTouch: true })
  const [card = ''] = await makeCards({})
  await press(page, 'Activate card')
  await scan(page, card)
  await says(page, `Card ··${card.slice(-4)}`)
  for (const key of ['3', '5', '.', '5', 'Delete', '2', '5']) await press(page, key)
  expect(await page.getByLabel('Amount (USD)').inputValue()).toBe('35.25')
  await page.getByRole('group', { name: 'Payment' }).getByRole('button', { name: 'Card' }).click()
  await press(page, 'Activate card for $35.25')
  await says(page, 'Card activated')
  expect(await balanceOf(card)).toBe(35.25)
  await close()
})

test('axe finds nothing serious, no screen breaks at twice the font size, and French is complete', async () => {
  const { code } = await sellByKey()
  await member('owner').post('/merchant/shifts', { registerId: register, currency: 'USD', openingFloat: 20 })
  const paths = [
    '/sell',
    '/sell/sales',
    '/sell/shift',
    '/settings/locations',
    '/approvals',
    '/day',
    '/vouchers/issue-many',
  ]
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, close } = await openAs('owner', '', { viewport: { width: 390, height: 844 }, colorScheme })
    await page.evaluate(`localStorage.setItem('scrip-register CORNER', '${register}')`)
    const look = async (name: string): Promise<void> => {
      faults.push(...(await findSerious(page)).map((fault) => `${name} ${colorScheme} ${fault}`))
      if (await isWideAtTwice(page)) faults.push(`${name} ${colorScheme} is wider than the screen at 200 %`)
    }
    for (const path of paths) {
      await page.goto(`${shop()}${path}`)
      await settle(page)
      await look(path)
    }
    await page.goto(`${shop()}/till`)
    await scan(page, code)
    await press(page, 'Reload')
    await sleep(200)
    await look('reload')
    if (colorScheme === 'dark') {
      await page.evaluate(`localStorage.setItem('scrip-language', 'fr')`)
      for (const path of paths) {
        await page.goto(`${shop()}${path}`)
        await settle(page)
        faults.push(...(await findCutText(page)).map((text) => `${path} cuts ${text}`))
      }
    }
    await close()
  }
  expect(faults).toEqual([])
})

test('the ledger balances after all tests, and no secret was logged', async () => {
  expect(await verifyLedger(stack.owner)).toEqual([])
  for (const secret of [pin, '4821']) expect(stack.logs()).not.toContain(`"${secret}"`)
})
