import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiWorld, createApiWorld } from '../server/local/test/api-world.ts'
import { createPool, type Pool } from '../server/src/base/db.ts'
import { runScrip } from '../server/local/test/scrip-command.ts'
import { createTestDatabase } from '../server/local/test/test-database.ts'
import { addPerson, createVisitor, enrolOneTimeCode, password, pin } from '../server/local/test/visitor.ts'

// A test runs up to 20 commands, each in a process of its own.
vi.setConfig({ testTimeout: 60_000 })

let world: ApiWorld
let env: Record<string, string>
beforeAll(async () => {
  const { url, operatorUrl, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  const urls = { DATABASE_URL: url, OPERATOR_DATABASE_URL: operatorUrl, OWNER_DATABASE_URL: ownerUrl }
  env = { ...urls, KEY_PEPPER: world.pepper, KEY_RING: world.keyRing }
})
afterAll(() => world.close())

const scrip = (...words: string[]): Promise<string> => runScrip(env, words)

test('an operator sets up a merchant, its keys, its money and its fees', async () => {
  expect(await scrip('migrate')).toBe('The database was up to date.')
  expect(await scrip('merchant', 'create', 'ACME', '--company', 'Acme Ltd', '--time-zone', 'Africa/Lagos')).toContain(
    'Merchant ACME was created',
  )
  expect(await scrip('merchant', 'update', 'ACME', '--trading-name', 'Acme', '--description', 'Anvils')).toBe(
    'Merchant ACME was updated.',
  )
  const [publicKey = ''] = (await scrip('key', 'create', 'ACME', 'public')).split('\n')
  const [secretKey = ''] = (await scrip('key', 'create', 'ACME', 'secret', '--name', 'server')).split('\n')

  expect(await scrip('merchant', 'fund', 'ACME', '250.00', 'USD', '--reference', 'BANK-1')).toBe('Recorded 250.00 USD.')
  expect(await scrip('merchant', 'fund', 'ACME', '250.00', 'USD', '--reference', 'BANK-1')).toContain('recorded before')
  expect(await scrip('merchant', 'withdraw', 'ACME', '50', 'USD', '--reference', 'BANK-2')).toBe('Recorded 50 USD.')
  expect(await scrip('merchant', 'withdraw', 'ACME', '200.01', 'USD', '--reference', 'BANK-3')).toBe(
    'The account balance is too low. (failed)',
  )
  expect(await scrip('merchant', 'fund', 'ACME', '5', 'USD', '--reference', 'BANK-4', '--account', 'admin')).toBe(
    'Recorded 5 USD.',
  )

  const as = { ...world.ours, publicKey, secretKey }
  const balance = await world.call('GET', '/merchant-integrations/fetch-balance?currencyAbbreviation=USD', { as })
  expect(balance.body).toMatchObject({
    data: { balance: 200, merchant: { companyName: 'Acme Ltd', tradingName: 'Acme', merchantDescription: 'Anvils' } },
  })

  expect(await scrip('charges', 'set', 'USD', '--fixed', '0.25', '--percent', '1.5')).toBe(
    'A redemption in USD costs 0.25 and 1.5 %.',
  )
  expect(await scrip('discount', 'set', 'ACME', '12.5', '--from', '2020-01-01', '--until', '2099-01-01')).toContain(
    '12.5 % less',
  )
  const charges = await world.call('GET', '/merchant-integrations/fetch-admin-charges', { as })
  expect(charges.body).toMatchObject({
    data: { redeemChargesFixRate: 0.25, redeemChargesPercentage: 1.5, redeemChargesPercentageDiscount: 12.5 },
  })
})

test('an operator issues a voucher, and sets which key a merchant redeems with', async () => {
  const issue = ['voucher', 'issue', 'OURS', '25.00', 'USD', '--reference', 'GIFT-1', '--pin', '0042', '--test']
  const code = await scrip(...issue)
  expect(code).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
  expect(await scrip(...issue)).toBe(`${code}\nThis reference was used before: it is the same voucher.`)
  const redeem = () =>
    world.call('POST', '/merchant-integrations/redeem-voucher', {
      keys: 'public',
      body: { voucherCode: code, amount: 1, lockPin: '0042' },
    })
  expect((await redeem()).status).toBe(200)
  expect(await scrip('merchant', 'redeem-with', 'OURS', 'secret', '--test')).toContain('with its secret key')
  expect((await redeem()).status).toBe(403)
  expect(await scrip('voucher', 'issue', 'OURS', '1', 'USD', '--reference', 'X', '--pin', '12', '--test')).toBe(
    'A lock PIN has 4 digits. (failed)',
  )
})

test('keys are listed, rotated and revoked', async () => {
  const [, id = ''] =
    /ID (\S+)\./.exec(await scrip('key', 'create', 'OURS', 'public', '--test', '--origin', 'https://shop.example')) ??
    []
  expect(await scrip('key', 'list', 'OURS', '--test')).toContain(id)
  expect(await scrip('key', 'rotate', 'OURS', id, '--test')).toContain('The old key ends in 24 hours.')
  expect(await scrip('key', 'revoke', 'OURS', id, '--test')).toContain('revoked')
  expect(await scrip('key', 'revoke', 'THEIRS', id, '--test')).toBe('No key has this id. (failed)')
})

test('an operator adds and disables currencies', async () => {
  expect(await scrip('currency', 'disable', 'SEK')).toBe('SEK is no longer offered.')
  const zmw = ['--name', 'Zambian kwacha', '--symbol', 'K', '--min', '0.01', '--max', '1000000']
  expect(await scrip('currency', 'set', 'ZMW', ...zmw, '--decimals', '2')).toBe('ZMW is in the catalogue.')
  expect(await scrip('currency', 'set', 'ZMW', ...zmw, '--decimals', '3')).toBe(
    'ZMW exists with other decimals or another type, which cannot be changed. (failed)',
  )
})

test('an operator adds networks, their tokens and their deposits', async () => {
  expect(await scrip('network', 'enable', 'LOCAL')).toBe('LOCAL is offered.')
  expect(await scrip('network', 'enable', 'MARS')).toBe('There is no network MARS. (failed)')
  const celo = [
    '--name',
    'Celo',
    '--chain-id',
    '42220',
    '--explorer',
    'https://celoscan.io',
    '--rpc',
    'https://forno.celo.org',
  ]
  expect(await scrip('network', 'set', 'CELO', ...celo)).toBe('CELO is in the catalogue.')
  const token = ['--address', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', '--decimals', '6']
  expect(await scrip('network', 'token', 'CELO', 'USDT', ...token)).toBe('USDT is on CELO.')
  // A test key sees test networks only.
  const networks = await world.pool.query('select name, mode from networks where abbreviation = $1', ['CELO'])
  expect(networks.rows).toEqual([{ name: 'Celo', mode: 'live' }])
  const place = ['--factory', `0x${'1'.repeat(40)}`, '--treasury', `0x${'2'.repeat(40)}`]
  expect(await scrip('network', 'deposits', 'CELO', ...place)).toContain('CELO accepts deposits.')
  expect(await scrip('network', 'deposits', 'CELO', ...place, '--final-depth', '9')).toContain('CELO accepts deposits.')
  const elsewhere = ['--factory', `0x${'1'.repeat(40)}`, '--treasury', `0x${'3'.repeat(40)}`]
  expect(await scrip('network', 'deposits', 'CELO', ...elsewhere)).toContain('(failed)')
})

test('an operator sets deposit tolerances and rates', async () => {
  expect(await scrip('merchant', 'deposit-tolerance', 'OURS', '0.5', '--test')).toBe(
    'Deposits for OURS may be 0.5 % short.',
  )
  expect(await scrip('merchant', 'deposit-tolerance', 'OURS', '6', '--test')).toContain('(failed)')
  expect(await scrip('rate', 'fetch', 'bank', 'http://127.0.0.1:1/')).toContain('(failed)')
  expect(await scrip('rate', 'set', 'USD', 'NGN', '1530.25')).toBe('1 USD is 1530.25 NGN.')
  expect(await scrip('rate', 'set', 'USD', 'NGN', '-1')).toContain('(failed)')
})

test('an operator invites the first owner, and funds and limits a wallet', async () => {
  const output = await scrip('staff', 'invite', 'OURS', 'First@example.com')
  const token = /\/link#([\w-]{43})$/.exec(output)?.[1]
  const visitor = createVisitor(world, 'staff', { 'scrip-merchant': 'OURS', 'scrip-mode': 'live' })
  const use = { token, password, surname: 'First', otherNames: 'Faith' }
  expect((await visitor.post('/auth/links/use', use)).status).toBe(200)
  await visitor.signIn('first@example.com')
  await enrolOneTimeCode(visitor)
  expect((await visitor.get('/merchant/members')).json().data.members).toMatchObject([
    { name: 'Faith First', role: 'owner' },
  ])
  expect(await scrip('staff', 'invite-operator', 'op@example.com')).toContain('/link#')

  const ada = await addPerson(world, 'live')
  const fund = ['wallet', 'fund', ada.person.email, '20', 'EUR', '--reference', 'BANK-9']
  expect(await scrip(...fund)).toBe('Recorded 20 EUR.')
  expect(await scrip(...fund)).toBe('This reference was recorded before.')
  expect(await scrip('wallet', 'fund', 'nobody_here', '20', 'EUR', '--reference', 'x')).toContain('(failed)')
  expect((await ada.get('/wallet')).json().data.balances).toMatchObject([{ currency: 'EUR', available: '20.00' }])
  expect(await scrip('wallet', 'limit', 'EUR', '1', '15')).toBe('At level 1, 15 EUR may leave a wallet in a day.')
  const gift = await ada.post('/wallet/vouchers', { amount: 16, currency: 'EUR', pin })
  expect(gift.json().error?.code).toBe('WALLET_LIMIT')
})

test('an operator sets the currencies of invoices, and how invoices are paid', async () => {
  expect(await scrip('merchant', 'invoice-currencies', 'OURS', 'USD', 'EUR', '--test')).toBe(
    'OURS accepts invoices in USD, EUR.',
  )
  expect(await scrip('merchant', 'invoice-currencies', 'OURS', 'XXX', '--test')).toContain('(failed)')
  const { body } = await world.get('/merchant-integrations-server/invoice-currencies')
  expect(body).toMatchObject({ data: { currencies: ['EUR', 'USD'] } })
  expect(await scrip('merchant', 'pay-invoices', 'OURS', 'by-itself', '--test')).toBe(
    'Approved invoices of OURS are paid automatically.',
  )
})

test('errors are explained in words', async () => {
  expect(await scrip('merchant', 'fund', 'NOBODY', '1', 'USD', '--reference', 'x')).toBe(
    'This merchant does not exist. (failed)',
  )
  expect(await scrip('merchant', 'fund', 'OURS', '1.005', 'USD', '--reference', 'x')).toBe(
    'The amount has more decimals than its currency allows. (failed)',
  )
  expect(await scrip('merchant', 'fund', 'OURS', '0', 'USD', '--reference', 'x')).toBe(
    'The amount must be greater than zero. (failed)',
  )
})

test('every command is recorded with the user who ran it, and never with a PIN', async () => {
  await scrip('voucher', 'issue', 'ACME', '5.00', 'USD', '--reference', 'AUDIT-1', '--pin', '9182')
  const { rows } = await world.pool.query<{ operation: string; object: string; ran_by: string; status: number }>(
    `select operation, object, ran_by, status from acts where operation like 'scrip%' order by id desc limit 1`,
  )
  expect(rows).toMatchObject([{ operation: 'scrip voucher issue', status: 200 }])
  expect(rows[0]?.object).toContain('ACME 5.00 USD --reference AUDIT-1')
  expect(rows[0]?.object).not.toContain('9182')
  expect(rows[0]?.ran_by).toMatch(/^\S+@\S+ as scrip_operator$/)
})

test('with the server’s database role the command line cannot fund a live shop', async () => {
  const before = env
  env = Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'OPERATOR_DATABASE_URL'))
  expect(await scrip('merchant', 'fund', 'ACME', '10.00', 'USD', '--reference', 'BANK-9')).toContain(
    'OPERATOR_DATABASE_URL',
  )
  env = before
})

/** Changes the balance of one account of a merchant without a transfer. */
async function addToBalance(owner: Pool, amount: number): Promise<void> {
  await owner.query('alter table ledger_accounts disable trigger user')
  await owner.query(
    `update ledger_accounts set balance = balance + $1 where (book_id, owner_id, kind) = (
      select book_id, owner_id, kind from ledger_accounts where kind = 'merchant' and balance > 1
        order by book_id, owner_id limit 1)`,
    [amount],
  )
  await owner.query('alter table ledger_accounts enable trigger user')
}

test('`ledger verify` finds a balance that was changed without a transfer', async () => {
  expect(await scrip('ledger', 'verify')).toBe('The ledger is sound.')
  const owner = createPool(env.OWNER_DATABASE_URL ?? '')
  await addToBalance(owner, 1)
  const output = await scrip('ledger', 'verify')
  await addToBalance(owner, -1)
  await owner.end()
  expect(output).toContain('its transfers sum to')
  expect(output).toContain('sums to 1')
  expect(output).toContain('The ledger has 2 faults. (failed)')
})

test('`ledger checks` shows what the worker found, until the operator acknowledges it', async () => {
  const owner = createPool(env.OWNER_DATABASE_URL ?? '')
  const job = world.jobs.find(({ name }) => name === 'ledger checks')
  expect(await scrip('ledger', 'checks')).toContain('The whole ledger: not checked yet.')
  await addToBalance(owner, 1)
  while (await job?.run()) continue
  await addToBalance(owner, -1)
  const events = await owner.query(`select payload from ledger_outbox where type = 'ledger.difference_found'`)
  await owner.end()

  const output = await scrip('ledger', 'checks')
  expect(output).toContain('The whole ledger: checked 0 minutes ago.')
  expect(output).toMatch(/^(\d+) {2}\S+Z {2}account \d+\/\S+\/merchant has \d+, its transfers sum to \d+$/m)
  expect(output).toContain('1 differences are open. (failed)')
  expect(world.logged()).toMatch(/"level":50.*The ledger has a difference: account/)
  expect(events.rows).toHaveLength(1)
  const number = /^(\d+) {2}/m.exec(output)?.[1] ?? ''
  expect(await scrip('ledger', 'acknowledge', number, 'a test')).toBe(`Difference ${number} is acknowledged.`)
  expect(await scrip('ledger', 'acknowledge', number, 'a test')).toBe(`No difference ${number} is open. (failed)`)
  expect(await scrip('ledger', 'checks')).toContain('No difference is open.')
})

test('an operator exports and erases a person, and the audit log does not name the person again', async () => {
  const gone = await addPerson(world, 'test', { email: 'gone@example.com', otherNames: 'Gone', surname: 'Person' })
  expect(JSON.parse(await scrip('person', 'export', 'gone@example.com'))).toMatchObject({
    account: [{ email: 'gone@example.com', surname: 'Person' }],
  })
  expect(await scrip('person', 'erase', 'gone@example.com')).toContain("required option '--yes' not specified")
  expect(await runScrip(env, ['person', 'erase', '-', '--yes'], 'gone@example.com\n')).toContain('Erased.')
  expect(JSON.parse(await scrip('person', 'export', 'gone@example.com'))).toEqual({})
  const list = await scrip('person', 'erased')
  expect(list).toContain(`user ${gone.person.id}`)
  expect(list).toMatch(/^address [0-9a-f]{64}$/m)
  const { rows } = await world.pool.query<{ text: string }>(`select row_to_json(a)::text as text from all_acts a`)
  const acts = rows.map(({ text }) => text).join('\n')
  expect(acts).toContain('scrip person erase')
  expect(acts).not.toContain('gone@example.com')
})

test('a timer erases the senders of old invoices, and not after less than five years', async () => {
  expect(await scrip('person', 'erase-invoice-senders', '--after-years', '4')).toContain('From 5 to 100.')
  expect(await scrip('person', 'erase-invoice-senders')).toBe('Erased the senders of 0 invoices.')
})

test('`person erase-again` reports what is refused and exits with an error', async () => {
  const rich = await addPerson(world, 'test', { email: 'still-rich@example.com' })
  await world.fund(1, { user: 'still-rich@example.com' })
  const file = join(await mkdtemp(join(tmpdir(), 'scrip-erased-')), 'erased.txt')
  await writeFile(file, `user ${rich.person.id}\n`)
  const output = await scrip('person', 'erase-again', file)
  expect(output).toContain('Erased 0 again.')
  expect(output).toMatch(/user \S+: The wallet has a balance\..* \(failed\)$/)
})
