#!/usr/bin/env node
// The operator's command. It calls the same use cases as the server, with the same settings (.env).
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { systemClock } from '../server/src/base/clock.ts'
import { createPool } from '../server/src/base/db.ts'
import { checkIsolation, withEnvironment } from '../server/src/base/environment.ts'
import { hasCode } from '../server/src/base/errors.ts'
import { createIds } from '../server/src/base/id.ts'
import { migrate } from '../server/src/base/migrate.ts'
import { parseMoney } from '../server/src/base/money.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { sweeperHashOf } from '../server/src/chain/address.ts'
import { activateDeposits } from '../server/src/chain/store.ts'
import { insertDiscount, saveRule } from '../server/src/charge/store.ts'
import { readConfig } from '../server/src/config.ts'
import {
  findCurrency,
  saveCurrency,
  saveNetwork,
  saveToken,
  setCurrencyActive,
  setNetworkActive,
} from '../server/src/currency/store.ts'
import { setTolerance } from '../server/src/deposit/store.ts'
import { setInvoiceCurrencies, setPaysInvoices } from '../server/src/invoice/store.ts'
import type { Mode } from '../server/src/ledger/book.ts'
import { openLedger } from '../server/src/ledger/post.ts'
import { createMerchant } from '../server/src/merchant/create-merchant.ts'
import { merchantError } from '../server/src/merchant/errors.ts'
import { type Funding, fundMerchant } from '../server/src/merchant/fund.ts'
import { createKey, type Environment, listKeys, revokeKey, rotateKey } from '../server/src/merchant/keys.ts'
import {
  type ExpiredTo,
  findEnvironment,
  findMerchantId,
  type Profile,
  setExpiredTo,
  setRedeemNeedsSecret,
} from '../server/src/merchant/store.ts'
import { updateMerchant } from '../server/src/merchant/update-merchant.ts'
import { resetRules } from '../server/src/outflow/store.ts'
import { withdrawFromMerchant } from '../server/src/outflow/withdraw.ts'
import { noteAct } from '../server/src/user/acts.ts'
import { showCode } from '../server/src/voucher/code.ts'
import { issueVoucher } from '../server/src/voucher/issue.ts'
import { checkKeyRing } from '../server/src/voucher/check-key-ring.ts'
import { createKeyRing } from '../server/src/voucher/key-ring.ts'
import { recordCommand } from './audit.ts'
import { addExchangeCommands } from './exchange.ts'
import { addOutflowCommands } from './outflow.ts'
import { addPeopleCommands } from './people.ts'

type DepositOptions = {
  factory: string
  treasury: string
  kind: 'ephemeral' | 'lasting'
  finalDepth?: string
  trustOneNode?: true
}

const envFile = resolve(import.meta.dirname, '../.env')
if (existsSync(envFile)) process.loadEnvFile(envFile)

const newId = createIds(systemClock, systemRandom)
const say = (text: string): void => console.log(text)
const live = (options: { test?: boolean }): Mode => (options.test === true ? 'test' : 'live')

/** Runs with what the server would run with, and closes it all. */
export type Run = typeof run
export type Tools = ReturnType<typeof connectTools>
async function run(work: (tools: Tools) => Promise<void>): Promise<void> {
  const tools = connectTools()
  try {
    await checkIsolation(tools.pool)
    const act = await recordCommand(tools, process.argv.slice(2))
    await work(tools)
    await noteAct(tools.pool, act, 200)
  } catch (error) {
    if (hasCode(error, '42501'))
      throw new Error('This needs the operator’s database role: set OPERATOR_DATABASE_URL to scrip_operator.', {
        cause: error,
      })
    throw error
  } finally {
    await tools.pool.end()
  }
}

function connectTools() {
  const config = readConfig()
  const pool = createPool(config.operatorDatabaseUrl)
  const environment = async (code: string, mode: Mode): Promise<Environment> => {
    const environmentId = await findEnvironment(pool, code, mode)
    if (environmentId === undefined) throw merchantError('MERCHANT_NOT_FOUND')
    return { environmentId, mode }
  }
  return { config, pool, environment, clock: systemClock, newId, random: systemRandom, pepper: config.keyPeppers[0] }
}

/** 1.5 is 15000 parts per million. */
function parsePercent(text: string): bigint {
  return parseMoney(text, { code: 'percent', decimals: 4 }).minor
}

const scrip = new Command('scrip').description('Runs an installation of Scrip.').showHelpAfterError()

scrip
  .command('migrate')
  .description('brings the database up to date')
  .action(async () => {
    const folder = resolve(import.meta.dirname, '../server/migrations')
    const applied = await migrate(readConfig().ownerDatabaseUrl, folder, systemClock)
    say(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database was up to date.')
  })

const merchant = scrip.command('merchant').description('merchants')
const profileOptions = (command: Command): Command =>
  command
    .option('--company <name>', 'company name')
    .option('--trading-name <name>', 'the name people know it by')
    .option('--description <text>')
    .option('--avatar <url>')
    .option('--home-currency <code>')
    .option('--time-zone <name>', 'such as Africa/Lagos')
    .option('--email <address>', 'where it is told what concerns its keys and webhooks')
    .addOption(new Option('--language <code>', 'what it reads').choices(['en', 'fr']))
type ProfileOptions = {
  company?: string
  tradingName?: string
  description?: string
  avatar?: string
  homeCurrency?: string
  timeZone?: string
  email?: string
  language?: 'en' | 'fr'
}
const given = ({ company, email, ...rest }: ProfileOptions): Partial<Profile> => ({
  ...rest,
  ...(email !== undefined && { contactEmail: email }),
  ...(company !== undefined && { companyName: company }),
})

profileOptions(merchant.command('create <code>').description('a merchant with a live and a test environment')).action(
  (code: string, options: ProfileOptions) =>
    run(async ({ pool, clock }) => {
      const empty = {
        companyName: code,
        tradingName: '',
        description: '',
        avatar: '',
        homeCurrency: 'USD',
        timeZone: 'UTC',
      }
      const profile = { ...empty, ...given(options), code }
      await findCurrency(pool, profile.homeCurrency)
      await createMerchant(pool, profile, clock, newId)
      say(`Merchant ${code} was created. Next: scrip key create ${code} public, and secret.`)
    }),
)
profileOptions(merchant.command('update <code>').description('changes what is named')).action(
  (code: string, options: ProfileOptions) =>
    run(async ({ pool }) => {
      if (options.homeCurrency !== undefined) await findCurrency(pool, options.homeCurrency)
      await updateMerchant(pool, code, given(options))
      // Limits were set in the old home currency: the defaults apply until the owner sets new ones.
      if (options.homeCurrency !== undefined) await resetRules(pool, await findMerchantId(pool, code))
      say(`Merchant ${code} was updated.`)
    }),
)
for (const [name, direction] of [
  ['fund', 'in'],
  ['withdraw', 'out'],
] as const)
  merchant
    .command(`${name} <code> <amount> <currency>`)
    .description(direction === 'in' ? 'records money that came in' : 'records money that went out')
    .requiredOption('--reference <text>', "the bank's reference; the same one twice moves money once")
    .addOption(new Option('--account <which>').choices(['balance', 'admin']).default('balance'))
    .option('--test', 'in test mode')
    .action(
      (
        code: string,
        amount: string,
        currency: string,
        options: Pick<Funding, 'account' | 'reference'> & { test?: boolean },
      ) =>
        run(async ({ config, pool, environment, clock }) => {
          const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
          try {
            const { account, reference } = options
            const ask = { direction, account, currency, amount, reference }
            const shop = await environment(code, live(options))
            const posted =
              direction === 'in'
                ? await fundMerchant({ pool, ledger, newId }, shop, ask)
                : await withdrawFromMerchant({ pool, clock, newId }, shop, ask)
            say(
              posted.replayed
                ? `This reference was recorded before, on ${posted.postedAt.toISOString()}.`
                : `Recorded ${amount} ${currency}.`,
            )
          } finally {
            await ledger.close()
          }
        }),
    )

merchant
  .command('redeem-with <code>')
  .description('whether the public key is enough to redeem a voucher, or the secret key is needed')
  .addArgument(new Argument('<key>').choices(['public', 'secret']))
  .option('--test', 'in test mode')
  .action((code: string, needed: 'public' | 'secret', options: { test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const { environmentId } = await environment(code, live(options))
      await setRedeemNeedsSecret(pool, environmentId, needed === 'secret')
      say(`${code} redeems vouchers with its ${needed} key.`)
    }),
  )

merchant
  .command('expired-value <code>')
  .description('where what is left on a voucher goes when it expires, for vouchers issued from now on')
  .addArgument(new Argument('<to>').choices(['payer', 'unclaimed']))
  .option('--test', 'in test mode')
  .action((code: string, to: ExpiredTo, options: { test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const { environmentId } = await environment(code, live(options))
      await setExpiredTo(pool, environmentId, to)
      say(
        `What is left on expired vouchers of ${code} ${to === 'payer' ? 'goes back to the payer' : 'is set aside as unclaimed'}.`,
      )
    }),
  )

merchant
  .command('invoice-currencies <code> [currencies...]')
  .description('what a merchant takes invoices in: these and no others')
  .option('--test', 'in test mode')
  .action((code: string, currencies: string[], options: { test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const { environmentId } = await environment(code, live(options))
      for (const each of currencies) await findCurrency(pool, each)
      await withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, currencies))
      say(`${code} takes invoices in ${currencies.length > 0 ? currencies.join(', ') : 'nothing'}.`)
    }),
  )

merchant
  .command('deposit-tolerance <code> <percent>')
  .description('how much less than asked for counts as paid, up to 5 %')
  .option('--test', 'in test mode')
  .action((code: string, percent: string, options: { test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const { environmentId } = await environment(code, live(options))
      const ppm = Number(parseMoney(percent, { code: 'percent', decimals: 4 }).minor)
      await setTolerance(pool, environmentId, ppm)
      say(`Deposits for ${code} may be ${percent} % short.`)
    }),
  )

merchant
  .command('pay-invoices <code>')
  .description('whether an approved invoice is paid by itself as soon as the balance covers it')
  .addArgument(new Argument('<how>').choices(['by-itself', 'by-hand']))
  .option('--test', 'in test mode')
  .action((code: string, how: 'by-itself' | 'by-hand', options: { test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const { environmentId } = await environment(code, live(options))
      await setPaysInvoices(pool, environmentId, how === 'by-itself')
      say(`Approved invoices of ${code} are paid ${how === 'by-itself' ? 'by themselves' : 'by hand'}.`)
    }),
  )

scrip
  .command('key-ring')
  .description('what voucher codes and webhook secrets are sealed with')
  .command('check')
  .description('tells which keys are needed, and whether KEY_RING has them; reads every voucher')
  .action(() =>
    run(async ({ config, pool }) => {
      const uses = await checkKeyRing(pool, config.keyRing)
      if (uses.length === 0) say('Nothing is sealed yet.')
      for (const { keyId, what, rows, verdict } of uses) say(`Key ${keyId}: ${rows} ${what}, ${verdict}.`)
      if (uses.some(({ verdict }) => verdict !== 'opens')) process.exitCode = 1
    }),
  )

scrip
  .command('voucher')
  .description('vouchers')
  .command('issue <code> <amount> <currency>')
  .description('a voucher in the name of a merchant, its value put up by you')
  .requiredOption('--reference <text>', 'yours; the same one twice makes one voucher')
  .option('--pin <digits>', 'a lock pin of 4 digits')
  .option('--expires <when>', "a date, to its end in the merchant's time zone, or a time")
  .option('--only-at <code...>', 'merchants where it can be redeemed')
  .option('--email <address>', 'for whom it is')
  .option('--test', 'in test mode')
  .action((code: string, amount: string, currencyCode: string, options: VoucherOptions) =>
    run(async (tools) => {
      const { config, pool, clock } = tools
      const { reference, pin: lockPin, expires, onlyAt, email } = options
      if (lockPin !== undefined && !/^\d{4}$/.test(lockPin)) throw new Error('A lock pin is 4 digits.')
      const issuer = { ...(await tools.environment(code, live(options))), merchantId: await findMerchantId(pool, code) }
      const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
      try {
        const ask = {
          amount,
          currency: currencyCode,
          reference,
          paidFrom: 'treasury',
          lockPin,
          onlyAt,
          expires,
        } as const
        const recipient = email === undefined ? undefined : ({ kind: 'email', name: email } as const)
        const issueTools = { ...tools, ledger, keyRing: createKeyRing(config.keyRing) }
        const issued = await issueVoucher(issueTools, issuer, { ...ask, recipient })
        say(
          `${showCode(issued.code)}${issued.replayed ? '\nThis reference was used before: it is the same voucher.' : ''}`,
        )
      } finally {
        await ledger.close()
      }
    }),
  )
type VoucherOptions = {
  reference: string
  pin?: string
  expires?: string
  onlyAt?: string[]
  email?: string
  test?: boolean
}

addPeopleCommands(scrip, run)

const key = scrip.command('key').description('API keys')
key
  .command('create <code>')
  .addArgument(new Argument('<kind>').choices(['public', 'secret']))
  .option('--name <name>', 'what it is for', 'made by the operator')
  .option('--origin <url...>', 'web sites that may use a public key')
  .option('--test', 'in test mode')
  .action((code: string, kind: 'public' | 'secret', options: { name: string; origin?: string[]; test?: boolean }) =>
    run(async (tools) => {
      const made = await createKey(tools, await tools.environment(code, live(options)), {
        kind,
        name: options.name,
        origins: options.origin ?? [],
      })
      say(`${made.key}\nId ${made.id}. ${kind === 'secret' ? 'It is shown this once.' : ''}`)
    }),
  )
key
  .command('list <code>')
  .option('--test', 'in test mode')
  .action((code: string, options: { test?: boolean }) =>
    run(async (tools) => {
      for (const { id, kind, name, shown, lastUsedAt, endsAt } of await listKeys(
        tools,
        await tools.environment(code, live(options)),
      ))
        say(
          [
            id,
            kind.padEnd(6),
            shown,
            name,
            `used ${lastUsedAt?.toISOString() ?? 'never'}`,
            endsAt ? `ends ${endsAt.toISOString()}` : '',
          ].join('  '),
        )
    }),
  )
key
  .command('rotate <code> <id>')
  .description('makes a new one; the old one goes on for a day')
  .option('--test', 'in test mode')
  .action((code: string, id: string, options: { test?: boolean }) =>
    run(async (tools) => {
      const made = await rotateKey(tools, await tools.environment(code, live(options)), id)
      say(`${made.key}\nId ${made.id}. The old key ends in 24 hours.`)
    }),
  )
key
  .command('revoke <code> <id>')
  .option('--test', 'in test mode')
  .action((code: string, id: string, options: { test?: boolean }) =>
    run(async (tools) => {
      await revokeKey(tools, await tools.environment(code, live(options)), id)
      say('The key is revoked. Every server follows within 5 seconds.')
    }),
  )

scrip
  .command('charges')
  .description('what a redemption costs')
  .command('set <currency>')
  .description('for all merchants')
  .requiredOption('--fixed <amount>', 'in major units')
  .requiredOption('--percent <number>', 'such as 1.5')
  .option('--test', 'in test mode')
  .action((code: string, options: { fixed: string; percent: string; test?: boolean }) =>
    run(async ({ pool }) => {
      const { minor: fixed } = parseMoney(options.fixed, await findCurrency(pool, code))
      await saveRule(pool, live(options), code, { fixed, sharePpm: parsePercent(options.percent) })
      say(`A redemption in ${code} costs ${options.fixed} and ${options.percent} %.`)
    }),
  )

scrip
  .command('discount')
  .description("what is let off of a merchant's charges")
  .command('set <code> <percent>')
  .requiredOption('--from <date>', 'such as 2026-12-01')
  .requiredOption('--until <date>', 'the first day without it')
  .option('--test', 'in test mode')
  .action((code: string, percent: string, options: { from: string; until: string; test?: boolean }) =>
    run(async ({ pool, environment }) => {
      const [startsAt, endsAt] = [new Date(options.from), new Date(options.until)]
      if (!(endsAt > startsAt)) throw new Error('The discount must end after it starts.')
      const { environmentId } = await environment(code, live(options))
      const discount = { id: newId(), discountPpm: parsePercent(percent), startsAt, endsAt }
      await withEnvironment(pool, environmentId, (tx) => insertDiscount(tx, environmentId, discount))
      say(`${code} pays ${percent} % less from ${options.from} until ${options.until}.`)
    }),
  )

const currency = scrip.command('currency').description('which currencies are offered')
const network = scrip.command('network').description('which networks are offered, and the coins on them')
for (const [command, name, setActive] of [
  [currency, 'currency', setCurrencyActive],
  [network, 'network', setNetworkActive],
] as const)
  for (const [verb, isActive] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    command.command(`${verb} <abbreviation>`).action((abbreviation: string) =>
      run(async ({ pool }) => {
        if (!(await setActive(pool, abbreviation, isActive))) throw new Error(`There is no ${name} ${abbreviation}.`)
        say(`${abbreviation} is ${isActive ? 'offered' : 'no longer offered'}.`)
      }),
    )

currency
  .command('set <abbreviation>')
  .description('adds a currency, or changes its name, symbol and limits')
  .requiredOption('--name <name>')
  .requiredOption('--symbol <symbol>')
  .requiredOption('--decimals <number>', 'of its smallest unit; cannot be changed')
  .requiredOption('--min <amount>', 'smallest amount, in major units')
  .requiredOption('--max <amount>', 'largest amount, in major units')
  .addOption(new Option('--type <which>').choices(['Fiat', 'Crypto']).default('Fiat'))
  .action((code: string, options: CurrencyOptions) =>
    run(async ({ pool, clock }) => {
      const unit = { code, decimals: Number(options.decimals) }
      const [amountMin, amountMax] = [parseMoney(options.min, unit).minor, parseMoney(options.max, unit).minor]
      const { name, symbol, type } = options
      if (!(await saveCurrency(pool, { ...unit, name, symbol, type, amountMin, amountMax }, clock())))
        throw new Error(`${code} has other decimals or another type, which cannot be changed.`)
      say(`${code} is in the catalogue.`)
    }),
  )
type CurrencyOptions = {
  name: string
  symbol: string
  decimals: string
  min: string
  max: string
  type: 'Fiat' | 'Crypto'
}

network
  .command('set <abbreviation>')
  .description('adds an EVM network, or changes its name and addresses')
  .requiredOption('--name <name>')
  .requiredOption('--chain-id <number>')
  .requiredOption('--explorer <url>')
  .requiredOption('--rpc <url>', 'a public address: merchants see it')
  .action((abbreviation: string, options: { name: string; chainId: string; explorer: string; rpc: string }) =>
    run(async ({ pool }) => {
      const { name, chainId, explorer: explorerUrl, rpc: rpcUrl } = options
      await saveNetwork(pool, { abbreviation, name, chainId: BigInt(chainId), explorerUrl, rpcUrl })
      say(`${abbreviation} is in the catalogue.`)
    }),
  )
network
  .command('deposits <network>')
  .description('takes deposits on a network, through a factory that has passed its test there')
  .requiredOption('--factory <address>', 'as npm run deploy -w contracts tells')
  .requiredOption('--treasury <address>', 'where everything is swept to')
  .addOption(new Option('--kind <kind>', 'of the factory').choices(['ephemeral', 'lasting']).default('ephemeral'))
  .option('--final-depth <blocks>', 'above a final block, where nodes do not say what is final')
  .option('--trust-one-node', 'accept a live network with a single node, which could invent payments')
  .action((on: string, options: DepositOptions) =>
    run(async ({ pool }) => {
      const { factory, treasury, kind, finalDepth, trustOneNode = false } = options
      const sweeperHash = sweeperHashOf(kind, treasury)
      const isKnown = await activateDeposits(pool, {
        ...{ abbreviation: on, factory, treasury, sweeperHash },
        ...(finalDepth !== undefined && { finalDepth: Number(finalDepth) }),
        trustsOneNode: trustOneNode,
      })
      if (!isKnown)
        throw new Error(`There is no network ${on}, or its deposit addresses are of another factory or treasury.`)
      say(`${on} takes deposits. Name its nodes in CHAIN_NODES.`)
    }),
  )

network
  .command('token <network> <currency>')
  .description('puts a currency on a network')
  .requiredOption('--address <address>', "the token's contract; the zero address for the network's own coin")
  .requiredOption('--decimals <number>', 'on this network')
  .action((on: string, code: string, options: { address: string; decimals: string }) =>
    run(async ({ pool }) => {
      const token = { network: on, currency: code, address: options.address, decimals: Number(options.decimals) }
      if (!(await saveToken(pool, token))) throw new Error(`${on} or ${code} is not in the catalogue.`)
      say(`${code} is on ${on}.`)
    }),
  )

addExchangeCommands(scrip, run)
addOutflowCommands(scrip, run)

try {
  await scrip.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
