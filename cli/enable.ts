import type { Command } from 'commander'
import type { setCurrencyActive } from '../server/src/catalogue/currency/store.ts'
import { print, run } from './tools.ts'

/** `enable` and `disable`, which currencies and networks share. */
export function addEnableCommands(command: Command, name: string, setActive: typeof setCurrencyActive): void {
  for (const [verb, isActive] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    command.command(`${verb} <abbreviation>`).action((abbreviation: string) =>
      run(async ({ pool }) => {
        if (!(await setActive(pool, abbreviation, isActive))) throw new Error(`There is no ${name} ${abbreviation}.`)
        print(`${abbreviation} is ${isActive ? 'offered' : 'no longer offered'}.`)
      }),
    )
}
