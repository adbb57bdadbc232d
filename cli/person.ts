import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type Command, InvalidArgumentError } from 'commander'
import {
  type AddressTools,
  eraseAddress,
  eraseAgain,
  eraseOldSenders,
  eraseUser,
  type Failure,
  finishErasures,
  writeErasure,
} from '../server/src/privacy/erase.ts'
import { exportAddress, exportUser } from '../server/src/privacy/export.ts'
import { listErasures } from '../server/src/privacy/store.ts'
import { print, run, type Tools } from './tools.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const [yearsMin, yearsMax] = [5, 100]

/** Personal data of users, customers and other people. The record of these commands leaves out the address. */
export function addPersonCommands(scrip: Command): void {
  const person = scrip.command('person').description('personal data: export, erase, erase again after a restore')
  person
    .command('export <who>')
    .description('prints what is stored about an email address or a user id, as JSON; - reads it from stdin')
    .action((who: string) =>
      run(async ({ pool }) => {
        const named = await readWho(who)
        const data = uuid.test(named) ? await exportUser(pool, named.toLowerCase()) : await exportAddress(pool, named)
        print(JSON.stringify(data, null, 2))
      }),
    )
  person
    .command('erase <who>')
    .description('erases an email address everywhere, or the account of a user id; for good; - reads it from stdin')
    .requiredOption('--yes', 'confirms that this cannot be undone')
    .action((who: string) =>
      run(async (tools) => {
        const all = eraseTools(tools)
        const named = await readWho(who)
        if (uuid.test(named)) await eraseUser(all, named.toLowerCase())
        else await eraseAddress(all, named)
        throwFailures(await finishErasures(all))
        print('Erased. Keep the list of `scrip person erased` outside the database, for restores.')
      }),
    )
  person
    .command('erased')
    .description('lists what was erased, without personal data, for erase-again')
    .action(() => run(async ({ pool }) => print((await listErasures(pool)).map(writeErasure).join('\n'))))
  addRepeatCommands(person)
}

function addRepeatCommands(person: Command): void {
  person
    .command('erase-again <file>')
    .description('erases everyone in a list of `scrip person erased`, after a backup was restored')
    .action((file: string) =>
      run(async (tools) => {
        const all = eraseTools(tools)
        const lines = readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line.trim() !== '')
        const { started, failures } = await eraseAgain(all, lines)
        const unfinished = await finishErasures(all)
        print(`Erased ${started} again.`)
        throwFailures([...failures, ...unfinished])
      }),
    )
  person
    .command('erase-invoice-senders')
    .description('erases the senders of invoices that were decided so many years ago; run it from a timer')
    .option('--after-years <years>', `${yearsMin} or more, as the law requires`, parseYears, 10)
    .action(({ afterYears }: { afterYears: number }) =>
      run(async (tools) => print(`Erased the senders of ${await eraseOldSenders(tools, afterYears)} invoices.`)),
    )
}

function eraseTools({ pool, clock, newId, config }: Tools): AddressTools {
  return { pool, clock, newId, peppers: config.keyPeppers }
}

/** From stdin the address gets into no shell history and no list of processes. */
async function readWho(who: string): Promise<string> {
  if (who !== '-') return who
  const lines = createInterface({ input: process.stdin })
  for await (const line of lines) return line.trim()
  throw new Error('Give an email address or a user id on stdin.')
}

function throwFailures(failures: readonly Failure[]): void {
  if (failures.length === 0) return
  const lines = failures.map(({ what, reason }) => `${what}: ${reason}`)
  throw new Error(['Not everything is erased. Run the command again to continue.', ...lines].join('\n'))
}

function parseYears(text: string): number {
  const years = Number(text)
  if (!/^\d+$/.test(text) || years < yearsMin || years > yearsMax)
    throw new InvalidArgumentError(`From ${yearsMin} to ${yearsMax}.`)
  return years
}
