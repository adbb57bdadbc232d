import type { Command } from 'commander'
import { allowAddress, denyAddress, listDeniedAddresses } from '../server/src/vouchers/voucher/denied-store.ts'
import { readWalletAddress } from '../server/src/vouchers/voucher/wallet-address.ts'
import { print, run } from './tools.ts'

/** Addresses that vouchers cannot be redeemed to. */
export function addAddressCommands(scrip: Command): void {
  const address = scrip.command('address').description('wallet addresses that vouchers cannot be redeemed to')
  address
    .command('deny <address>')
    .description('refuses redemptions to an address, on every network')
    .requiredOption('--reason <text>', 'for your own records; merchants do not see it')
    .action((text: string, { reason }: { reason: string }) =>
      run(async ({ pool, clock }) => {
        const isNew = await denyAddress(pool, { address: readWalletAddress(text), reason, deniedAt: clock() })
        print(isNew ? 'The address is denied.' : 'The address was denied before.')
      }),
    )
  address
    .command('allow <address>')
    .description('accepts redemptions to an address again')
    .action((text: string) =>
      run(async ({ pool }) => {
        if (!(await allowAddress(pool, readWalletAddress(text)))) throw new Error('This address is not denied.')
        print('The address is allowed.')
      }),
    )
  address
    .command('list')
    .description('lists the denied addresses')
    .action(() =>
      run(async ({ pool }) => {
        const denied = await listDeniedAddresses(pool)
        if (denied.length === 0) print('No address is denied.')
        for (const { address: each, reason, deniedAt } of denied) print(`${each}  ${deniedAt.toISOString()}  ${reason}`)
      }),
    )
}
