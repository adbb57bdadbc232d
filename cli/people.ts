import { Argument, type Command, Option } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { createSeals } from '../server/src/base/seal.ts'
import { findCurrency } from '../server/src/currency/store.ts'
import type { Role } from '../server/src/http/caller.ts'
import { openLedger } from '../server/src/ledger/post.ts'
import { inviteMember } from '../server/src/merchant/members.ts'
import { findMerchantId } from '../server/src/merchant/store.ts'
import { userError } from '../server/src/user/errors.ts'
import { inviteOperator } from '../server/src/user/links.ts'
import { findPerson } from '../server/src/user/store.ts'
import { fundWallet } from '../server/src/wallet/fund.ts'
import { saveDailyLimit } from '../server/src/wallet/store.ts'
import type { Run } from './main.ts'

type InMode = { test?: boolean }
const modeOf = ({ test }: InMode) => (test === true ? 'test' : 'live')
const roles: Role[] = ['owner', 'developer', 'cashier', 'accountant']

/** Staff, operators and people with wallets. */
export function addPeopleCommands(scrip: Command, run: Run): void {
  const say = (link: string, publicUrl: string): void =>
    console.log(`Invited. The link is on its way by mail; it works once:\n${publicUrl}/link#${link}`)
  const staff = scrip.command('staff').description('who runs merchants, and who runs the platform')
  staff
    .command('invite <code> <email>')
    .description('to the staff of a merchant; the first owner is invited so')
    .addOption(new Option('--role <role>').choices(roles).default('owner'))
    .action((code: string, email: string, { role }: { role: Role }) =>
      run(async ({ config, ...tools }) => {
        const links = { ...tools, seals: createSeals(config.keyRing) }
        say(await inviteMember(links, await findMerchantId(tools.pool, code), { email, role }), config.publicUrl)
      }),
    )
  staff
    .command('invite-operator <email>')
    .description('to run the platform')
    .action((email: string) =>
      run(async ({ config, ...tools }) => {
        const links = { ...tools, seals: createSeals(config.keyRing) }
        say(await inviteOperator(links, email, config.platformName), config.publicUrl)
      }),
    )

  const wallet = scrip.command('wallet').description("people's wallets")
  wallet
    .command('fund <who> <amount> <currency>')
    .description('records money that a person brought, named by e-mail, username or phone')
    .requiredOption('--reference <text>', "the bank's; the same one twice moves money once")
    .option('--test', 'in test mode')
    .action((who: string, amount: string, currency: string, options: InMode & { reference: string }) =>
      run(async ({ config, pool, clock, newId }) => {
        const mode = modeOf(options)
        const person = await findPerson(pool, mode, who)
        if (person === undefined) throw userError('USER_NOT_FOUND')
        const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
        try {
          const ask = { amount, currency, reference: options.reference }
          const { replayed } = await fundWallet({ pool, ledger, newId }, person, mode, ask)
          console.log(replayed ? 'This reference was recorded before.' : `Recorded ${amount} ${currency}.`)
        } finally {
          await ledger.close()
        }
      }),
    )
  wallet
    .command('limit <currency>')
    .description('how much may leave a wallet in a day')
    .addArgument(new Argument('<level>', '1: the address is known; 2: you know who it is').choices(['1', '2']))
    .argument('<daily>', 'in major units')
    .option('--test', 'in test mode')
    .action((code: string, level: string, daily: string, options: InMode) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(daily, await findCurrency(pool, code, 'any'))
        await saveDailyLimit(pool, { mode: modeOf(options), currency: code, level: Number(level), daily: minor })
        console.log(`At level ${level} ${daily} ${code} may leave a wallet in a day.`)
      }),
    )
}
