import { Argument, type Command } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { userError } from '../server/src/identity/user/errors.ts'
import { findUser } from '../server/src/identity/user/store.ts'
import { fundWallet } from '../server/src/payments/wallet/fund.ts'
import { saveDailyLimit } from '../server/src/payments/wallet/store.ts'
import { type ModeOption, modeOf, print, run, withLedger } from './tools.ts'

/** Wallets of users. */
export function addWalletCommands(scrip: Command): void {
  const wallet = scrip.command('wallet').description('wallets of users')
  wallet
    .command('fund <who> <amount> <currency>')
    .description('records money that a user paid in; <who> is an email address, username or phone number')
    .requiredOption('--reference <text>', "the bank's reference; the same reference moves money once")
    .option('--test', 'in test mode')
    .action((who: string, amount: string, currency: string, options: ModeOption & { reference: string }) =>
      run((tools) =>
        withLedger(tools, async (ledger) => {
          const { pool, newId } = tools
          const mode = modeOf(options)
          const user = await findUser(pool, mode, who)
          if (user === undefined) throw userError('USER_NOT_FOUND')
          const input = { amount, currency, reference: options.reference }
          const { replayed } = await fundWallet({ pool, ledger, newId }, user, mode, input)
          print(replayed ? 'This reference was recorded before.' : `Recorded ${amount} ${currency}.`)
        }),
      ),
    )
  wallet
    .command('limit <currency>')
    .description('sets how much may leave a wallet in a day')
    .addArgument(new Argument('<level>', '1: email address confirmed; 2: identity verified').choices(['1', '2']))
    .argument('<daily>', 'in major units')
    .option('--test', 'in test mode')
    .action((code: string, level: string, daily: string, options: ModeOption) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(daily, await findCurrency(pool, code, 'any'))
        await saveDailyLimit(pool, { mode: modeOf(options), currency: code, level: Number(level), daily: minor })
        print(`At level ${level}, ${daily} ${code} may leave a wallet in a day.`)
      }),
    )
}
