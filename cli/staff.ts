import { type Command, Option } from 'commander'
import { createSeals } from '../server/src/base/seal.ts'
import { type Role, roles } from '../server/src/http/role.ts'
import { inviteMember } from '../server/src/identity/merchant/members.ts'
import { findMerchantId } from '../server/src/identity/merchant/store.ts'
import { inviteOperator } from '../server/src/identity/user/links.ts'
import { print, run } from './tools.ts'

/** Staff members of merchants, and operators. */
export function addStaffCommands(scrip: Command): void {
  const staff = scrip.command('staff').description('staff members of merchants, and operators')
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
