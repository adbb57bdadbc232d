// Screenshots of every screen of the wallet app for review: phone and desktop, light and dark, empty, loading, failing and full.
//   npm run screens -- wallet
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { demoBrand, readDemoLogo } from '../../server/local/demo/demo-brand.ts'
import { startAnvil } from '../../server/local/parts/anvil.ts'
import { prepareChain } from '../../server/local/parts/chain.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { shootInFrench } from '../web/french.ts'
import { createPeople, password, pin } from '../web/people.ts'
import { settle } from '../web/settle.ts'
import { startStack } from '../web/stack.ts'

const folder = resolve(import.meta.dirname, '../../.scrip/screens/wallet')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const chain = await startAnvil(['--block-time', '1', '--slots-in-an-epoch', '1'])
const stack = await startStack({ CHAIN_NODES: `LOCAL=${chain.url}` })
const people = createPeople(stack)
await setManualRate(stack.pool, 'USD', 'EUR', '0.9', systemClock)
await setManualRate(stack.pool, 'ETH', 'USD', '3000', systemClock)
await prepareChain(stack.pool, chain.url)

const [full, empty] = ['nia@example.com', 'new@example.com']
const nia = await people.signUp(full, 'nia')
const ben = await people.signUp('ben@example.com', 'ben')
await people.signUp(empty, 'newcomer')
await nia.post('/me', { otherNames: 'Nia', surname: 'Mensah' })
await ben.post('/me', { otherNames: 'Benedict', surname: 'Asante' })
for (const user of [nia, ben]) await user.post('/me/pin', { pin, password })
for (const [amount, currency, user] of [
  [1250.5, 'USD', full],
  [84.2, 'EUR', full],
  [0.1875, 'ETH', full],
  [500, 'USD', 'ben@example.com'],
] as const)
  await stack.post('/sandbox/fund', { amount, currency, user })
await stack.post('/merchant-integrations-server/brand', demoBrand)
await stack.post('/merchant-integrations-server/brand/logo', { image: readDemoLogo() })
await nia.post('/wallet/send', { to: 'ben', amount: '18.40', currency: 'USD', note: 'Concert tickets', pin })
await ben.post('/wallet/send', { to: 'nia', amount: '7.00', currency: 'USD', note: 'Coffee', pin })
for (const amount of ['25.00', '60.00']) await nia.post('/wallet/vouchers', { amount, currency: 'USD', pin })
await nia.post('/wallet/vouchers', { amount: '10.00', currency: 'USD', for: 'ben@example.com', pin })
const requestPayment = (amount: number, note: string) =>
  stack.post('/merchant-integrations/payment-request', {
    ...{ amount, currency: 'USD', user_identifier: full, reference_id: `screens-${amount}`, metadata: { note } },
  })
await requestPayment(6.2, 'Bread and milk')
await stack.post('/sandbox/payment-requests/screens-6.2/authorise', {})
await requestPayment(3.1, 'Pencils')
await stack.post('/sandbox/payment-requests/screens-3.1/decline', {})
const { quoteId } = (await nia.post('/wallet/quotes', { from: 'USD', to: 'EUR', amount: '50' })).data as unknown as {
  quoteId: string
}
await nia.post('/wallet/exchange', { quoteId, pin })
await requestPayment(42.75, 'Three novels and a dictionary')
await requestPayment(9.9, 'Bookmark')
const { requests } = (await nia.get('/wallet/payment-requests')).data as unknown as { requests: { id: string }[] }
const { vouchers } = (await nia.get('/wallet/vouchers')).data as unknown as {
  vouchers: { id: string; isGiven: boolean }[]
}
const { moves } = (await nia.get('/wallet/activity')).data as unknown as { moves: { id: string }[] }
const { coins } = (await nia.get('/wallet/coins')).data as unknown as {
  coins: { networkId: string; currency: string }[]
}
const [coin] = coins
const deposit = (await nia.post('/wallet/deposits', { ...pick(coin), amount: '0.05' })).data as unknown as {
  id: string
}

function pick(from: { networkId: string; currency: string } | undefined) {
  return { networkId: from?.networkId ?? '', currency: from?.currency ?? '' }
}

const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } }
const screens: Record<string, string> = {
  home: '',
  pay: `/pay/${requests[0]?.id ?? ''}`,
  send: '/send',
  exchange: '/exchange',
  vouchers: '/vouchers',
  voucher: `/vouchers/${vouchers.find(({ isGiven }) => !isGiven)?.id ?? ''}`,
  buy: '/buy',
  redeem: '/redeem',
  deposit: '/deposit',
  'deposit-address': `/deposit/${deposit.id}`,
  receipt: `/receipt/${moves[0]?.id ?? ''}`,
  settings: '/settings',
  activity: '/activity',
  'activity-search': '/activity?search=coffee',
  'activity-none': '/activity?search=nothing',
  receive: '/receive',
  'send-to': '/send/ben',
}
/** Clears the saved data of the app, except who is signed in. */
const forget = (page: Page) =>
  page.evaluate(
    `for (const key of Object.keys(localStorage)) if (key.startsWith('scrip-known') && !key.endsWith('/me')) localStorage.removeItem(key)`,
  )
const cut: string[] = []
let screenshots = 0
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ['light', 'dark'] as const) {
    const shoot = async (page: Page, name: string): Promise<void> => {
      // As tall as the page, or the navigation would stand in the middle of it.
      const height = await page.evaluate<number>('document.documentElement.scrollHeight')
      await page.setViewportSize({ width: viewport.width, height: Math.max(viewport.height, height) })
      await page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png` })
      await page.setViewportSize(viewport)
      screenshots++
    }
    const show = async (page: Page, path: string): Promise<void> => {
      await page.goto(`${stack.baseUrl}/app${path}${path.includes('?') ? '&' : '?'}mode=test`)
      await settle(page)
    }
    const signIn = async (page: Page, email: string): Promise<void> => {
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Total balance' }).waitFor()
    }
    const { page, close } = await stack.open({ viewport, colorScheme })
    await show(page, '')
    await shoot(page, 'sign-in')
    await show(page, '/sign-up')
    await shoot(page, 'sign-up')
    await show(page, '')
    await signIn(page, full)
    for (const [name, path] of Object.entries(screens)) {
      await show(page, path)
      await shoot(page, name)
    }
    // The same screens in French. Fails if a text is cut.
    for (const text of await shootInFrench(page, screens, show, shoot)) cut.push(`${size} ${text}`)
    await show(page, '/exchange')
    await page.getByLabel('To', { exact: true }).selectOption('EUR')
    await page.getByLabel('You get').fill('50')
    await page.getByText(/^Rate held/).waitFor()
    await shoot(page, 'exchange-typed')
    await page.getByRole('button', { name: 'Review exchange' }).click()
    await page.getByLabel('Your PIN').waitFor()
    await shoot(page, 'exchange-quoted')
    await show(page, '')
    await page.getByRole('button', { name: 'Hide amounts' }).click()
    await shoot(page, 'home-hidden')
    await page.getByRole('button', { name: 'Show amounts' }).click()
    await show(page, screens.pay ?? '')
    await page.getByLabel('Your PIN').fill('000000')
    await page.getByRole('button', { name: /^Pay / }).click()
    await page.getByText('Incorrect PIN.').waitFor()
    await shoot(page, 'pay-refused')
    await page.route('**/authorise', (route) => route.abort())
    await page.getByLabel('Your PIN').fill(pin)
    await page.getByRole('button', { name: /^Pay / }).click()
    await page.getByText(/We have not received a response yet/).waitFor()
    await shoot(page, 'pay-checking')
    await page.unroute('**/authorise')
    // Loading and failing screens.
    await forget(page)
    await page.route(/\/wallet(\/|$|\?)(?!stream)/, (route) =>
      route.request().isNavigationRequest() ? route.continue() : undefined,
    )
    await page.goto(`${stack.baseUrl}/app`)
    await page.locator('.skeleton').first().waitFor()
    await shoot(page, 'home-loading')
    await page.route(/\/wallet(\/|$|\?)/, (route) => route.abort())
    await forget(page)
    await page.goto(`${stack.baseUrl}/app`)
    await page
      .getByText(/could not reach/)
      .first()
      .waitFor()
    await shoot(page, 'home-error')
    await close()
    const other = await stack.open({ viewport, colorScheme })
    await show(other.page, '')
    await signIn(other.page, empty)
    for (const [name, path] of Object.entries({ home: '', vouchers: '/vouchers', exchange: '/exchange' })) {
      await show(other.page, path)
      await shoot(other.page, `${name}-empty`)
    }
    await other.close()
  }
await stack.stop()
await chain.stop()
for (const text of cut) console.log(`cut: ${text}`)
console.log(`screens wallet=${screenshots} cut=${cut.length} folder=.scrip/screens/wallet`)
process.exit(cut.length === 0 ? 0 : 1)
