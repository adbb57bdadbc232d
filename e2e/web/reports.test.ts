// Reports in a real browser: what owners and accountants read and download, and what others may not see.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { createPeople, type People } from './people.ts'
import { settle } from './settle.ts'
import { type Stack, startStack } from './stack.ts'
import { hireTeam, type Member, type OpenAs, type Team } from './staff.ts'

let stack: Stack
let people: People
let team: Team
const server = '/merchant-integrations-server'

beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  team = await hireTeam(stack, people)
  await stack.post('/sandbox/fund', { amount: 500, currency: 'USD' })
  const issued = await stack.post(`${server}/vouchers`, { amount: 80, currency: 'USD' })
  await redeem(issued, 30)
  const sold = await stack.post(`${server}/voucher-sales`, { amount: 60, currency: 'USD', tender: 'card' })
  await redeem({ data: sold.data.voucher as Record<string, unknown> }, 12.5)
})
afterAll(() => stack.stop())

async function redeem({ data }: { readonly data: Record<string, unknown> }, amount: number): Promise<void> {
  const { code } = await stack.post('/merchant-integrations/redeem-voucher', { voucherCode: data.code, amount })
  expect(code).toBe(200)
}

const shop = () => `${stack.baseUrl}/dashboard/CORNER/test`
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const member = (title: string): Member => team.member(title)
const openAs: OpenAs = (title, path, options) => team.openAs(title, path, options)

const withoutSignIn = (errors: readonly string[]): string[] => errors.filter((each) => !/status of 401/.test(each))

/** The value beside a label in a list of facts. */
const fact = (page: Page, label: string) =>
  page
    .locator('dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd')
    .first()

async function download(page: Page, button: string): Promise<string[][]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  return text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','))
}

test.each(['owner', 'accountant'])(
  'an %s reads liability, statement, fees and totals, downloads both files, and saves account numbers',
  async (role) => {
    const { page, browserErrors, close } = await openAs(role)
    // The card on the home screen leads to the report.
    const card = page.getByRole('region', { name: 'Voucher liability' })
    await card.getByRole('link', { name: 'Open report' }).click()
    await page.getByRole('heading', { name: 'Reports', level: 1 }).waitFor()
    await says(page, 'US Dollar · Platform vouchers')
    const store = page.locator('.card', { hasText: 'Store vouchers' })
    expect(await store.locator('dl > div', { hasText: 'Closing' }).locator('dd').innerText()).toBe('$47.50')
    expect(await store.locator('dl > div', { hasText: 'Redeemed' }).locator('dd').innerText()).toBe('−$12.50')

    const moved = (await download(page, 'Download CSV')).filter(([, vouchers]) => vouchers === 'store')
    expect(moved.reduce((total, cells) => total + Number(cells[3]) - Number(cells[4]), 0)).toBe(47.5)

    await page.getByRole('link', { name: 'Statement', exact: true }).click()
    await says(page, 'Funding')
    const closing = await fact(page, 'Closing').innerText()
    const lines = await download(page, 'Download CSV')
    const sum = lines.slice(1).reduce((total, cells) => total + Number(cells[6]) - Number(cells[7]), 0)
    expect(`$${sum.toFixed(2)}`).toBe(closing)

    await page.getByRole('link', { name: 'Fees', exact: true }).click()
    await page.getByRole('table').or(page.getByText('No fees')).first().waitFor()

    await page.getByRole('link', { name: 'Export', exact: true }).click()
    await page.getByRole('button', { name: 'Edit account numbers' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Balance', { exact: true }).fill(role === 'owner' ? '1200' : '1210')
    await dialog.getByRole('button', { name: 'Save account numbers' }).click()
    await says(page, 'Account numbers saved.')
    const [head = [], ...journals] = await download(page, 'Download journals')
    const [debit, credit] = [head.indexOf('debit USD'), head.indexOf('credit USD')]
    const add = (column: number) => journals.reduce((total, cells) => total + Number(cells[column]), 0).toFixed(2)
    expect(debit).toBeGreaterThan(0)
    expect(add(debit)).toBe(add(credit))
    expect(await fact(page, 'Sum, Debit').innerText()).toBe(
      `$${Number(add(debit)).toLocaleString('en', { minimumFractionDigits: 2 })}`,
    )
    const ofBalance = journals.filter((cells) => cells[5] === 'balance').map((cells) => cells[6])
    expect(new Set(ofBalance)).toEqual(new Set([role === 'owner' ? '1200' : '1210']))

    // A period without anything.
    await page.goto(`${shop()}/reports/statement?from=2020-01-01&until=2020-01-31`)
    await says(page, 'No movements')
    await page.goto(`${shop()}/vouchers`)
    await page.getByRole('region', { name: 'Voucher liability' }).getByRole('link', { name: 'Open report' }).waitFor()
    expect(withoutSignIn(browserErrors)).toEqual([])
    await close()
  },
)

test('cashiers and developers have no reports, neither in the dashboard nor by the API', async () => {
  const paths = [
    'liability',
    'liability.csv',
    'statement',
    'statement.csv',
    'fees',
    'fees.csv',
    'balance',
    'totals',
    'journals.csv',
    'account-numbers',
  ]
  for (const role of ['cashier', 'developer']) {
    const { page, close } = await openAs(role, '/reports')
    await says(page, 'Page not found')
    expect(await page.getByRole('link', { name: 'Reports', exact: true }).count()).toBe(0)
    await close()
    for (const root of ['/merchant/reports', `${server}/reports`])
      for (const path of paths) {
        const { code, error } = await member(role).get(`${root}/${path}`)
        expect([role, path, code, error?.code]).toEqual([role, path, 403, 'ROLE_FORBIDDEN'])
      }
    const saved = await member(role).post('/merchant/reports/account-numbers', { accounts: [] })
    expect(saved.code).toBe(403)
  }
})

test('every report is accessible, and fits on a phone, at twice the text size and in French', async () => {
  const screens = ['', '/reports', '/reports/statement', '/reports/fees', '/reports/export', '/vouchers']
  const faults: string[] = []
  for (const [theme, width, language] of [
    ['light', 1280, 'en'],
    ['dark', 390, 'en'],
    ['light', 390, 'fr'],
  ] as const) {
    const { page, close } = await openAs('owner', '', { colorScheme: theme, viewport: { width, height: 844 } })
    await page.evaluate(`localStorage.setItem('scrip-language', '${language}')`)
    for (const path of screens) {
      await page.goto(`${shop()}${path}`)
      await settle(page)
      faults.push(...(await findSerious(page)).map((fault) => `${path} ${theme} ${width}: ${fault}`))
      faults.push(...(await findCutText(page)).map((text) => `${path} ${width} ${language} cuts ${text}`))
      if (await isWideAtTwice(page)) faults.push(`${path} ${width} ${language} is too wide at twice the size`)
    }
    await page.evaluate(`localStorage.setItem('scrip-language', 'en')`)
    await close()
  }
  expect(faults).toEqual([])
})

test('the ledger balances after all tests', async () => {
  expect(await verifyLedger(stack.owner)).toEqual([])
})
