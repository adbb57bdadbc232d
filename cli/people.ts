import { Argument, type Command, Option } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { createSeals } from '../server/src/base/seal.ts'
import { findCurrency } from '../server/src/currency/store.ts'
import { type Role, roles } from '../server/src/http/role.ts'
import { inviteMember } from '../server/src/merchant/members.ts'
import { findMerchantId } from '../server/src/merchant/store.ts'
import { userError } from '../server/src/user/errors.ts'
import { inviteOperator } from '../server/src/user/links.ts'
import { findUser } from '../server/src/user/store.ts'
import { fundWallet } from '../server/src/wallet/fund.ts'
import { saveDailyLimit } from '../server/src/wallet/store.ts'
import { type ModeOption, modeOf, print, run, withLedger } from './tools.ts'

/** Staff members, operators and users of the wallet. */
export function addPeopleCommands(scrip: Command): void {
  addStaffCommands(scrip.command('staff').description('staff members of merchants, and operators'))
  addWalletCommands(scrip.command('wallet').description('wallets of users'))
}

function addStaffCommands(staff: Command): void {
  const printLink = (link: string, publicUrl: string): void =>
    print(`Invited. The link was also emailed and works once:\n${publicUrl}/link#${link}`)
  staff
    .command('invite <code> <email>')
    .description('invites a staff member of a merchant, such as its first owner')
    .addOption(new Option('--role <role>').choices(roles).default('owner'))
    .action((code: string, email: string, { role }: { role: Role }) =>
      run(async ({ config, ...tools }) => {
        const links = { ...tools, seals: createSeals(config.keyRing) }
        printLink(await inviteMember(links, await findMerchantId(tools.pool, code), { email, role }), config.publicUrl)
      }),
    )
  staff
    .command('invite-operator <email>')
    .description('invites an operator of the platform')
    .action((email: string) =>
      run(async ({ config, ...tools }) => {
        const links = { ...tools, seals: createSeals(config.keyRing) }
        printLink(await inviteOperator(links, email, config.platformName), config.publicUrl)
      }),
    )
}

function addWalletCommands(wallet: Command): void {
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
