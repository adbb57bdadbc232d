// An onchain voucher from an invoice to the holder's wallet, while its network undoes blocks and the worker is killed. After every step,
// the network and the ledger agree to the wei.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { type Hex, stringToHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { voucherVaultAbi } from '../../server/src/chain/voucher-vault.gen.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { type ChainStack, eventually, finalDepth, startChainStack } from './chain-stack.ts'
import { findCutText } from './cut-text.ts'
import { createPeople, password, type People } from './people.ts'
import { createStaff } from './staff.ts'
import type { Stack } from './stack.ts'

const SK = '/merchant-integrations-server'
const PK = '/merchant-integrations'
const phone = { viewport: { width: 390, height: 844 } }
const desk = { viewport: { width: 1280, height: 900 } }
const email = 'ivy@example.com'
const lockPin = '4821'

let chain: ChainStack
let stack: Stack
let people: People
const codes = new Set<string>()
beforeAll(async () => {
  chain = await startChainStack()
  stack = chain.stack
  people = createPeople(stack)
  await stack.post('/sandbox/fund', { amount: 1, currency: 'ETH' })
  await stack.post(`${SK}/invoice-currencies`, { currencies: ['ETH'] })
  // The gas price is known from the first block that the worker has read.
  await eventually(async () => (await stack.query('select from chain_finality', [])).rows.length > 0)
})
afterAll(() => chain.stop())

type OnchainDetails = { balance: string; codeHash: Hex; vault: Hex; transactionHash: Hex }
type Verified = { id: string; balance: number; onchainProcessing: boolean; cryptoVoucherDetails: OnchainDetails | null }

const verify = async (voucherCode: string): Promise<Verified> =>
  (await stack.post(`${PK}/verify-voucher`, { voucherCode })).data as Verified

/** Waits until the network has created the voucher for good. */
const untilOpen = (code: string): Promise<OnchainDetails> =>
  eventually(async () => (await verify(code)).cryptoVoucherDetails)

const statusOf = async (reference: string): Promise<unknown> =>
  (await stack.get(`${SK}/verify-transaction/${reference}`)).data.status

const newWallet = (): Hex => privateKeyToAddress(generatePrivateKey())

/** The transactions that were signed for a kind of send, newest first. */
async function signedFor(kind: 'create' | 'redeem'): Promise<Hex[]> {
  const { rows } = await stack.query(
    `select g.hash from chain_signed g join chain_sends s on s.id = g.send_id where s.reference like $1
      order by s.id desc, g.max_fee desc`,
    [`${kind}/%`],
  )
  return rows.map(({ hash }: { hash: Hex }) => hash)
}

/** Waits until the newest transaction of a kind is in a block that is not final. */
const untilMined = (kind: 'create' | 'redeem', except: readonly Hex[] = []): Promise<Hex> =>
  eventually(async () => {
    const [hash] = (await signedFor(kind)).filter((each) => !except.includes(each))
    const receipt = hash && (await chain.client.getTransactionReceipt({ hash }).catch(() => undefined))
    return receipt && hash
  })

const wei = (amount: string): bigint => {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(18, '0'))
}

/** What the network and the ledger say that a voucher holds, and all vouchers of its vault together. */
async function expectAgreement(code: string, wanted: bigint, paid: Readonly<Record<Hex, bigint>>): Promise<void> {
  const { id, cryptoVoucherDetails: details } = await verify(code)
  if (details === null) throw new Error('The voucher is not on its network.')
  const { vault: address, codeHash } = details
  const vault = { address, abi: voucherVaultAbi } as const
  const { balance } = await chain.client.readContract({ ...vault, functionName: 'getVoucher', args: [codeHash] })
  const liabilities = await chain.client.readContract({ ...vault, functionName: 'liabilities' })
  const held = await chain.client.getBalance({ address })
  // The API writes exact numbers, which JavaScript would round, so the ledger is read itself too.
  const { rows } = await stack.query(
    `select a.kind, a.balance::text from ledger_accounts a join ledger_books b on b.id = a.book_id
      where b.currency = 'ETH' and (a.owner_id = $1 or a.kind::text = 'vault')`,
    [id],
  )
  const ledger = Object.fromEntries((rows as { kind: string; balance: string }[]).map((row) => [row.kind, row.balance]))
  const holder = (await stack.post('/holder/voucher', { code, lockPin })).data as { balance: string }
  expect({ balance, record: BigInt(details.balance), ledger: BigInt(ledger.voucher ?? '-1') }).toEqual({
    balance: wanted,
    record: wanted,
    ledger: wanted,
  })
  expect(wei(holder.balance)).toBe(wanted)
  expect({ liabilities, held }).toEqual({ liabilities: held, held: -BigInt(ledger.vault ?? '0') })
  for (const [recipient, amount] of Object.entries(paid) as [Hex, bigint][])
    expect([recipient, await chain.client.getBalance({ address: recipient })]).toEqual([recipient, amount])
}

async function submitInvoice(): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  const invoice = {
    currencyAbbreviation: 'ETH',
    dueDate: today,
    invoiceDate: today,
    email,
    fullName: 'Ivy Ødegård',
    merchantCode: 'CORNER',
    blockchainNetworkAbbreviation: 'LOCAL',
    invoiceItems: [{ description: 'Reading aloud', quantity: '3', unitPrice: '0.02' }],
  }
  const reply = await stack.post('/invoice/submit', { mode: 'test', invoice })
  expect(reply.code, JSON.stringify(reply)).toBe(200)
  const { invoices } = (await stack.get(`${SK}/fetch-invoice`)).data as { invoices: { id: string }[] }
  return invoices[0]?.id ?? ''
}

async function startPayout(page: Page, amount: string, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Enter an address' }).click()
  if (amount === 'max') await page.getByRole('button', { name: 'Everything' }).click()
  else await page.getByLabel('Amount (ETH)').fill(amount)
  await page.getByLabel('Wallet address').fill(address)
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('an invoice paid onchain reaches the holder’s wallets, through two reorganisations and a killed worker', async () => {
  const amount = 60_000_000_000_000_000n
  const invoiceID = await submitInvoice()
  const approved = await stack.post(`${SK}/approve-invoice`, { invoiceID, onChain: true })
  expect(approved.code, JSON.stringify(approved)).toBe(200)
  const mail = await people.mailTo(email, /sent you a voucher/)
  const code = /\/v#([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''
  codes.add(code)

  // The holder opens the link before the network has the voucher, and the page follows its creation.
  const { page, browserErrors, requests, close } = await stack.open(phone)
  let lost = 0
  await page.route('**/holder/voucher/redeem', async (route) => {
    const reply = await route.fetch()
    if (lost++ === 0) await route.abort()
    else await route.fulfill({ response: reply })
  })
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByText('being created on Local network').waitFor()
  expect(await page.getByRole('button', { name: 'Enter an address' }).count()).toBe(0)

  // The network undoes the block that created it.
  const creation = await untilMined('create')
  expect(await chain.undo(creation)).toBeLessThan(finalDepth)
  await expect(chain.client.getTransactionReceipt({ hash: creation })).rejects.toThrow()
  await untilOpen(code)
  await page.getByRole('button', { name: 'Enter an address' }).waitFor({ timeout: 30_000 })
  await expectAgreement(code, amount, {})

  // A third through the API. The worker is killed before it has sent it.
  const first = newWallet()
  const third = { voucherCode: code, amount: '0.02', walletAddress: first }
  await chain.killWorker()
  const quoted = (await stack.post(`${PK}/fetch-voucher-redemption-charges`, third)).data.charges as {
    quoteId: string
  }
  const redeemed = await stack.post(`${PK}/redeem-voucher`, {
    ...third,
    quoteId: quoted.quoteId,
    referenceId: 'third',
  })
  expect(redeemed.code, JSON.stringify(redeemed)).toBe(200)
  expect(await statusOf('third')).toBe('PROCESSING')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('heading', { name: 'On its way' }).waitFor()
  chain.startAgain()
  // And killed again while its transaction is in a block that is not final.
  await untilMined('redeem')
  await chain.killWorker()
  chain.startAgain()
  await eventually(async () => (await statusOf('third')) === 'COMPLETED')
  await page.getByRole('heading', { name: 'Sent', exact: true }).waitFor({ timeout: 30_000 })
  const { balance: left } = (await stack.post('/holder/voucher', { code })).data as { balance: string }
  expect(wei(left)).toBeLessThan(amount - 20_000_000_000_000_000n)
  await expectAgreement(code, wei(left), { [first]: 20_000_000_000_000_000n })

  // The rest from the page. A mistyped address is refused by its checksum.
  const second = newWallet()
  await page.reload()
  await page.getByRole('button', { name: 'Enter an address' }).waitFor()
  const swapped = second
    .slice(2)
    .replaceAll(/[a-f]/gi, (each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
  await startPayout(page, 'max', `0x${swapped}`)
  await page.getByText('This is not a valid address.').waitFor()
  await page.getByLabel('Wallet address').fill(second.toLowerCase())
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check before you send' }).waitFor()
  expect((await page.locator('.payout-address').innerText()).replaceAll(/\s/g, '')).toBe(second)
  expect(await findSerious(page)).toEqual([])
  // The first response is lost. The page finds out that it was sent.
  const before = await signedFor('redeem')
  await page.getByRole('button', { name: /^Send / }).click()
  await page.getByRole('heading', { name: 'On its way' }).waitFor({ timeout: 20_000 })
  expect(lost).toBeGreaterThan(1)

  // The network undoes the payment, and the worker sends it again.
  const payment = await untilMined('redeem', before)
  expect(await chain.undo(payment)).toBeLessThan(finalDepth)
  expect(await chain.client.getBalance({ address: second })).toBe(0n)
  await page.getByRole('link', { name: 'Show the transaction' }).waitFor()
  await page.getByRole('heading', { name: 'Sent', exact: true }).waitFor({ timeout: 60_000 })
  const link = await page.getByRole('link', { name: 'Show the transaction' }).getAttribute('href')
  const hash = link?.split('/').at(-1) as Hex
  expect((await chain.client.getTransactionReceipt({ hash })).status).toBe('success')
  const arrived = await chain.client.getBalance({ address: second })
  const { history } = (await stack.post('/holder/voucher', { code })).data as {
    history: { amount: string; charge: string }[]
  }
  const [last] = history
  expect(wei(last?.amount ?? '') - wei(last?.charge ?? '')).toBe(arrived)
  await expectAgreement(code, 0n, { [first]: 20_000_000_000_000_000n, [second]: arrived })

  expect(requests.some((url) => url.includes(code) || url.includes(code.replaceAll('-', '')))).toBe(false)
  // Chromium logs the refused address and the lost response.
  expect(browserErrors.filter((text) => !/422|ERR_FAILED/.test(text))).toEqual([])
  await close()
})

test('a locked voucher is sold at the till: on its way, then paid, without a reload', async () => {
  const hire = await createStaff(stack, people)
  const kim = await hire('Kim', 'Kasse', 'cashier')
  const { page, browserErrors, close } = await stack.open(desk)
  await page.goto(`${stack.baseUrl}/dashboard/CORNER/test/till`)
  await page.getByLabel('Email address').fill(kim.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const { data } = await stack.post('/sandbox/vouchers', { amount: '0.05', currency: 'ETH', onchain: true, lockPin })
  const code = String(data.code)
  codes.add(code)
  const enterCode = async () => {
    await page.getByLabel('Voucher code').fill(code)
    await page.keyboard.press('Enter')
  }
  await enterCode()
  await page.getByText('This voucher is being created on its network.').waitFor()
  await page.getByRole('button', { name: 'Start over' }).last().click()
  await untilOpen(code)
  await enterCode()
  await page.getByText('Onchain voucher').waitFor()
  await page.getByLabel('Amount (ETH)').fill('0.01')
  await page.getByLabel('Voucher PIN').fill(lockPin)
  await page.keyboard.press('Enter')
  await page.getByText('Network fee').waitFor()
  await page.getByText('Hand over the goods when the till says Paid.').waitFor()
  await page.getByRole('button', { name: /^Charge / }).click()
  await page.getByText('do not hand over the goods').waitFor()
  expect(await page.locator('.receipt-done').count()).toBe(0)
  expect(await findSerious(page)).toEqual([])
  await page.locator('.receipt-done').getByText('Paid').waitFor({ timeout: 60_000 })
  const { balance } = (await stack.post('/holder/voucher', { code, lockPin })).data as { balance: string }
  await expectAgreement(code, wei(balance), {})
  expect(browserErrors.filter((text) => !/40[13]/.test(text))).toEqual([])
  await close()
})

test('a deposit is refunded by a private link, where the payer names an address', async () => {
  const { rows } = await stack.query(`select id from networks where abbreviation = 'LOCAL'`, [])
  const request = await stack.post(`${PK}/deposit-address-payment-request`, {
    amount: 0.05,
    currency_abbreviation: 'ETH',
    pay_with_currency_abbreviation: 'ETH',
    blockchainNetworkId: (rows as { id: string }[])[0]?.id,
    reference_id: 'paid-by-somebody',
    metadata: {},
  })
  expect(request.code, JSON.stringify(request)).toBe(200)
  const { address, amountToDepositExact } = request.data as { address: Hex; amountToDepositExact: string }
  await chain.client.sendTransaction({ to: address, value: wei(amountToDepositExact) })
  await eventually(async () => (await statusOf('paid-by-somebody')) === 'COMPLETED')
  const body = { referenceId: 'paid-by-somebody', byLink: true, refundReferenceId: 'back-by-link' }
  const refunded = await stack.post(`${SK}/refund`, body)
  const link = String(refunded.data.link)
  codes.add(/\/v#([\w-]+)/.exec(link)?.[1] ?? '')

  const { page, browserErrors, requests, close } = await stack.open(phone)
  await page.goto(link.replace(/^https?:\/\/[^/]+/, stack.baseUrl))
  await page.getByText('This is a refund.').waitFor()
  await page.getByRole('button', { name: 'Enter an address' }).click()
  await page.getByLabel('Receive').selectOption({ label: 'ETH on Local network' })
  const wallet = newWallet()
  await page.getByLabel('Wallet address').fill(wallet)
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Check before you send' }).waitFor()
  expect(await findSerious(page)).toEqual([])
  await page.getByRole('button', { name: /^Send .*ETH/ }).click()
  await page.getByRole('heading', { name: 'Sent', exact: true }).waitFor({ timeout: 60_000 })
  const arrived = await chain.client.getBalance({ address: wallet })
  expect(arrived).toBeGreaterThan(0n)
  expect(arrived).toBeLessThan(wei(amountToDepositExact))
  expect(requests.some((url) => [...codes].some((code) => url.includes(code)))).toBe(false)
  expect(browserErrors).toEqual([])
  await close()
})

/** Takes four minutes, so it runs only with `SCREENS=folder npm run e2e`, which writes the pictures there. */
test.skipIf(process.env.SCREENS === undefined)(
  'every onchain screen fits both widths, light and dark, in both languages',
  async () => {
    const folder = process.env.SCREENS
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
    const hire = await createStaff(stack, people)
    const owner = await hire('Olu', 'Adeyemi', 'owner')
    const issue = async (): Promise<string> => {
      const { data } = await stack.post('/sandbox/vouchers', { amount: '0.05', currency: 'ETH', onchain: true })
      codes.add(String(data.code))
      return String(data.code)
    }
    const opened = await issue()
    await untilOpen(opened)
    const sent = await issue()
    const { id: sentId } = await verify(sent)
    await untilOpen(sent)
    const body = { voucherCode: sent, amount: '0.01', walletAddress: newWallet() }
    const sold = await issue()
    await untilOpen(sold)
    // Without a worker, everything stays as it is.
    await chain.killWorker()
    await stack.post(`${PK}/redeem-voucher`, { ...body, referenceId: 'screen-1' })
    await owner.post(`${PK}/redeem-voucher`, { voucherCode: sold, amount: '0.01', referenceId: 'screen-2' })
    const creating = await issue()
    const { id: creatingId } = await verify(creating)
    const { storageState } = await signIn(owner.email)
    const shop = `${stack.baseUrl}/dashboard/CORNER/test`
    const faults: string[] = []
    for (const language of ['en', 'fr'] as const)
      for (const [width, size] of [
        ['390', phone],
        ['1280', desk],
      ] as const)
        for (const colorScheme of ['light', 'dark'] as const) {
          const { page, close } = await stack.open({ ...size, colorScheme, storageState, locale: language })
          await page.addInitScript(`localStorage.setItem('scrip-language', '${language}')`)
          const shoot = async (name: string): Promise<void> => {
            const full = `onchain-${name}-${width}-${colorScheme}-${language}`
            await page.waitForTimeout(200)
            for (const text of await findCutText(page)) faults.push(`${full} cut: ${text}`)
            if (language === 'en') for (const fault of await findSerious(page)) faults.push(`${full} axe: ${fault}`)
            if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) faults.push(`${full} wide`)
            if (width === '390' && (await isWideAtTwice(page))) faults.push(`${full} wide at twice the size`)
            if (folder !== undefined) await page.screenshot({ path: resolve(folder, `${full}.png`), fullPage: true })
          }
          await showHolder(page, { opened, sent, creating }, shoot)
          for (const [name, path] of Object.entries({
            vouchers: '/vouchers',
            voucher: `/vouchers/${sentId}`,
            'voucher-creating': `/vouchers/${creatingId}`,
            payment: '/payments/screen-1',
            issue: '/vouchers/issue',
          })) {
            await page.goto(`${shop}${path}`)
            await page.locator('main h1').first().waitFor()
            await page.locator('.skeleton').first().waitFor({ state: 'detached' })
            if (name === 'issue') {
              await page.locator('select').first().selectOption('ETH')
              await page.locator('.tick input').first().check()
            }
            await shoot(name)
          }
          await page.goto(`${shop}/till`)
          for (const [name, code] of [
            ['till-creating', creating],
            ['till', opened],
          ] as const) {
            await page.goto(`${shop}/till`)
            await page.locator('.code-form input').fill(code)
            await page.keyboard.press('Enter')
            await page.locator('.till-stub').waitFor()
            await shoot(name)
          }
          await page.locator('.till-amount input').fill('0.01')
          await page.keyboard.press('Enter')
          await page.locator('.till-stub .facts').waitFor()
          await shoot('till-confirm')
          await page.goto(`${shop}/till`)
          await page.locator('.table .button').first().click()
          await page.locator('.receipt-wait').waitFor()
          await shoot('till-processing')
          await close()
        }
    chain.startAgain()
    expect(faults).toEqual([])
  },
  900_000,
)

async function signIn(address: string) {
  const { page, close } = await stack.open()
  await page.goto(`${stack.baseUrl}/dashboard/CORNER/test`)
  await page.getByLabel('Email address').fill(address)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('main h1').waitFor()
  await page.getByLabel('Password').waitFor({ state: 'detached' })
  const storageState = await page.context().storageState()
  await close()
  return { storageState }
}

/** The response as if the network had ended the payment. */
async function endPayout(route: Route, status: string): Promise<void> {
  const reply = await route.fetch()
  const response = (await reply.json()) as { data: { history: { payout: object | null }[] } }
  for (const entry of response.data.history) if (entry.payout !== null) Object.assign(entry.payout, { status })
  await route.fulfill({ response: reply, json: response })
}

type Shown = Readonly<Record<'opened' | 'sent' | 'creating', string>>

/** The holder's page of a voucher that is being created, one on its network, its forms, and one with a payment on its way. */
async function showHolder(page: Page, shown: Shown, shoot: (name: string) => Promise<void>): Promise<void> {
  for (const name of ['creating', 'sent', 'opened'] as const) {
    await page.goto('about:blank')
    await page.goto(`${stack.baseUrl}/v#${shown[name]}`)
    await page.locator('.ticket').waitFor()
    await shoot(`holder-${name}`)
    if (name === 'sent')
      for (const status of ['COMPLETED', 'FAILED']) {
        await page.route('**/holder/voucher', (route) => endPayout(route, status))
        await page.locator('.voucher-updated .button').click()
        await page.locator(`.payout-state[data-status=${status}]`).waitFor()
        await shoot(`holder-${status.toLowerCase()}`)
        await page.unroute('**/holder/voucher')
      }
  }
  await page.locator('.payout .button').click()
  await page.locator('.payout .button[data-kind=main]').click()
  await page.locator('.field-error').first().waitFor()
  await shoot('holder-form')
  await page.locator('.payout-amount .button').click()
  await page.locator('.payout .field-input[data-face=code]').fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  await page.locator('.payout .button[data-kind=main]').click()
  await page.locator('.payout-address').waitFor()
  await shoot('holder-confirm')
}

test('no transaction, log of the network or log of a process contains a code or a PIN', async () => {
  const newest = await chain.client.getBlockNumber({ cacheTime: 0 })
  const calls: string[] = []
  for (let number = 0n; number <= newest; number++) {
    const { transactions } = await chain.client.getBlock({ blockNumber: number, includeTransactions: true })
    calls.push(...transactions.map(({ input }) => input))
  }
  const logged = await chain.ask<unknown[]>('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
  // Those that the network undid are known to the worker alone.
  const { rows } = await stack.query('select raw from chain_signed union all select data from chain_sends', [])
  expect([calls.length > 5, logged.length > 5, rows.length > 5]).toEqual([true, true, true])
  const onNetwork = JSON.stringify([calls, logged, rows]).toLowerCase()
  const logs = chain.logs()
  expect(logs.includes('/holder/voucher/redeem')).toBe(true)
  expect(codes.size).toBeGreaterThan(1)
  for (const code of codes)
    for (const form of [code, code.replaceAll('-', ''), code.toLowerCase(), code.replaceAll('-', '').toLowerCase()])
      for (const text of [form, stringToHex(form).slice(2)]) {
        expect(onNetwork.includes(text.toLowerCase()), 'a code on the network').toBe(false)
        expect(logs.includes(text), 'a code in a log').toBe(false)
      }
  const hexPin = stringToHex(lockPin).slice(2)
  const asWord = Number(lockPin).toString(16).padStart(64, '0')
  for (const text of [hexPin, asWord]) expect(onNetwork.includes(text), 'a PIN on the network').toBe(false)
  expect(new RegExp(`(?<![0-9a-f-])${lockPin}(?![0-9a-f-])`).test(logs), 'a PIN in a log').toBe(false)
})
