import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import {
  type AddressTools,
  eraseAddress,
  eraseAgain,
  eraseUser,
  finishErasures,
  writeErasure,
} from '../server/src/privacy/erase.ts'
import { exportAddress, exportUser } from '../server/src/privacy/export.ts'
import { listErasures } from '../server/src/privacy/store.ts'
import { print, run, type Tools } from './tools.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Personal data of users, customers and other people. The record of these commands leaves out the address. */
export function addPersonCommands(scrip: Command): void {
  const person = scrip.command('person').description('personal data: export, erase, erase again after a restore')
  person
    .command('export <who>')
    .description('prints what is stored about an email address or a user id, as JSON')
    .action((who: string) =>
      run(async ({ pool }) => {
        const data = uuid.test(who) ? await exportUser(pool, who.toLowerCase()) : await exportAddress(pool, who)
        print(JSON.stringify(data, null, 2))
      }),
    )
  person
    .command('erase <who>')
    .description('erases an email address everywhere, with its accounts, or the account of a user id; for good')
    .requiredOption('--yes', 'confirms that this cannot be undone')
    .action((who: string) =>
      run(async (tools) => {
        const all = eraseTools(tools)
        if (uuid.test(who)) await eraseUser(all, who.toLowerCase())
        else await eraseAddress(all, who)
        await finishErasures(all)
        print('Erased. Keep the list of `scrip person erased` outside the database, for restores.')
      }),
    )
  person
    .command('erased')
    .description('lists what was erased, without personal data, for erase-again')
    .action(() => run(async ({ pool }) => print((await listErasures(pool)).map(writeErasure).join('\n'))))
  person
    .command('erase-again <file>')
    .description('erases everyone in a list of `scrip person erased`, after a backup was restored')
    .action((file: string) =>
      run(async (tools) => {
        const all = eraseTools(tools)
        const lines = readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.trim() !== '')
        const started = await eraseAgain(all, lines)
        await finishErasures(all)
        print(`Erased ${started} again.`)
      }),
    )
}

function eraseTools({ pool, clock, newId, config }: Tools): AddressTools {
  return { pool, clock, newId, peppers: config.keyPeppers }
}
