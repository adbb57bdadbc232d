import { Argument, type Command, Option } from 'commander'
import { withEnvironment } from '../server/src/base/environment.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { setTolerance } from '../server/src/payments/deposit/store.ts'
import { setInvoiceCurrencies, setPaysInvoices } from '../server/src/billing/invoice/store.ts'
import { createMerchant } from '../server/src/identity/merchant/create-merchant.ts'
import { type Funding, fundMerchant } from '../server/src/identity/merchant/fund.ts'
import {
  type ExpiredTo,
  expiredTos,
  findMerchantId,
  type Profile,
  setExpiredTo,
  setRedeemNeedsSecret,
} from '../server/src/identity/merchant/store.ts'
import { updateMerchant } from '../server/src/identity/merchant/update-merchant.ts'
import { resetRules } from '../server/src/payments/outflow/store.ts'
import { withdrawFromMerchant } from '../server/src/payments/outflow/withdraw.ts'
import { type ModeOption, modeOf, parsePercent, print, run, withLedger } from './tools.ts'

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

/** Merchants: their profiles, their money and their settings. */
export function addMerchantCommands(scrip: Command): void {
  const merchant = scrip.command('merchant').description('merchants')
  addProfileCommands(merchant)
  addFundingCommands(merchant)
  addVoucherSettings(merchant)
  addPaymentSettings(merchant)
}

function addProfileCommands(merchant: Command): void {
  withProfileOptions(
    merchant.command('create <code>').description('creates a merchant with a live and a test environment'),
  ).action((code: string, options: ProfileOptions) =>
    run(async ({ pool, clock, newId }) => {
      const empty = {
        companyName: code,
        tradingName: '',
        description: '',
        avatar: '',
        homeCurrency: 'USD',
        timeZone: 'UTC',
      }
      const profile = { ...empty, ...profileOf(options), code }
      await findCurrency(pool, profile.homeCurrency)
      await createMerchant(pool, profile, clock, newId)
      print(`Merchant ${code} was created. Next: scrip key create ${code} public, and secret.`)
    }),
  )
  withProfileOptions(merchant.command('update <code>').description('changes the given fields')).action(
    (code: string, options: ProfileOptions) =>
      run(async ({ pool }) => {
        if (options.homeCurrency !== undefined) await findCurrency(pool, options.homeCurrency)
        await updateMerchant(pool, code, profileOf(options))
        // Limits were set in the old home currency: the defaults apply until the owner sets new ones.
        if (options.homeCurrency !== undefined) await resetRules(pool, await findMerchantId(pool, code))
        print(`Merchant ${code} was updated.`)
      }),
  )
}

function withProfileOptions(command: Command): Command {
  return command
    .option('--company <name>', 'company name')
    .option('--trading-name <name>', 'the name that customers know')
    .option('--description <text>')
    .option('--avatar <url>')
    .option('--home-currency <code>')
    .option('--time-zone <name>', 'such as Africa/Lagos')
    .option('--email <address>', 'gets notices about API keys and webhooks')
    .addOption(new Option('--language <code>', 'of these emails').choices(['en', 'fr']))
}

function profileOf({ company, email, ...rest }: ProfileOptions): Partial<Profile> {
  return {
    ...rest,
    ...(email !== undefined && { contactEmail: email }),
    ...(company !== undefined && { companyName: company }),
  }
}

type FundingOptions = Pick<Funding, 'account' | 'reference'> & ModeOption

function addFundingCommands(merchant: Command): void {
  for (const [name, direction] of [
    ['fund', 'in'],
    ['withdraw', 'out'],
  ] as const)
    merchant
      .command(`${name} <code> <amount> <currency>`)
      .description(direction === 'in' ? 'records money that came in' : 'records money that went out')
      .requiredOption('--reference <text>', "the bank's reference; the same reference moves money once")
      .addOption(new Option('--account <which>').choices(['balance', 'admin']).default('balance'))
      .option('--test', 'in test mode')
      .action((code: string, amount: string, currency: string, options: FundingOptions) =>
        run((tools) =>
          withLedger(tools, async (ledger) => {
            const { pool, environment, clock, newId } = tools
            const { account, reference } = options
            const input = { direction, account, currency, amount, reference }
            const shop = await environment(code, modeOf(options))
            const posted =
              direction === 'in'
                ? await fundMerchant({ pool, ledger, newId }, shop, input)
                : await withdrawFromMerchant({ pool, clock, newId }, shop, input)
            print(
              posted.replayed
                ? `This reference was recorded before, on ${posted.postedAt.toISOString()}.`
                : `Recorded ${amount} ${currency}.`,
            )
          }),
        ),
      )
}

function addVoucherSettings(merchant: Command): void {
  merchant
    .command('redeem-with <code>')
    .description('sets whether redeeming a voucher needs the secret key or only the public key')
    .addArgument(new Argument('<key>').choices(['public', 'secret']))
    .option('--test', 'in test mode')
    .action((code: string, needed: 'public' | 'secret', options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        await setRedeemNeedsSecret(pool, environmentId, needed === 'secret')
        print(`${code} redeems vouchers with its ${needed} key.`)
      }),
    )
  merchant
    .command('expired-value <code>')
    .description('sets where the balance of an expired voucher goes, for vouchers issued from now on')
    .addArgument(new Argument('<to>').choices(expiredTos))
    .option('--test', 'in test mode')
    .action((code: string, to: ExpiredTo, options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        await setExpiredTo(pool, environmentId, to)
        const target = to === 'payer' ? 'returns to the payer' : 'is set aside as unclaimed'
        print(`The balance of expired vouchers of ${code} ${target}.`)
      }),
    )
}

function addPaymentSettings(merchant: Command): void {
  merchant
    .command('invoice-currencies <code> [currencies...]')
    .description('sets the only currencies in which a merchant accepts invoices')
    .option('--test', 'in test mode')
    .action((code: string, currencies: string[], options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        for (const each of currencies) await findCurrency(pool, each)
        await withEnvironment(pool, environmentId, (tx) => setInvoiceCurrencies(tx, environmentId, currencies))
        print(
          currencies.length > 0
            ? `${code} accepts invoices in ${currencies.join(', ')}.`
            : `${code} accepts no invoices.`,
        )
      }),
    )
  merchant
    .command('deposit-tolerance <code> <percent>')
    .description('sets by how much a deposit may fall short and still count as paid, up to 5 %')
    .option('--test', 'in test mode')
    .action((code: string, percent: string, options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        await setTolerance(pool, environmentId, Number(parsePercent(percent)))
        print(`Deposits for ${code} may be ${percent} % short.`)
      }),
    )
  merchant
    .command('pay-invoices <code>')
    .description('sets whether an approved invoice is paid automatically as soon as the balance covers it')
    .addArgument(new Argument('<how>').choices(['by-itself', 'by-hand']))
    .option('--test', 'in test mode')
    .action((code: string, how: 'by-itself' | 'by-hand', options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const { environmentId } = await environment(code, modeOf(options))
        await setPaysInvoices(pool, environmentId, how === 'by-itself')
        print(`Approved invoices of ${code} are paid ${how === 'by-itself' ? 'automatically' : 'manually'}.`)
      }),
    )
}
