import type { Command } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { saveRule } from '../server/src/catalogue/charge/store.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { type ModeOption, modeOf, parsePercent, print, run } from './tools.ts'

type ChargeOptions = ModeOption & { fixed: string; percent: string }

/** Fees of redemptions. */
export function addChargesCommands(scrip: Command): void {
  scrip
    .command('charges')
    .description('the fee of a redemption')
    .command('set <currency>')
    .description('sets the fee for all merchants')
    .requiredOption('--fixed <amount>', 'in major units')
    .requiredOption('--percent <number>', 'such as 1.5')
    .option('--test', 'in test mode')
    .action((code: string, options: ChargeOptions) =>
      run(async ({ pool }) => {
        const { minor: fixed } = parseMoney(options.fixed, await findCurrency(pool, code))
        await saveRule(pool, modeOf(options), code, { fixed, sharePpm: parsePercent(options.percent) })
        print(`A redemption in ${code} costs ${options.fixed} and ${options.percent} %.`)
      }),
    )
}
