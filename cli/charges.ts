import type { Command } from 'commander'
import { withEnvironment } from '../server/src/base/environment.ts'
import { parseMoney } from '../server/src/base/money.ts'
import { insertDiscount, saveRule } from '../server/src/charge/store.ts'
import { findCurrency } from '../server/src/currency/store.ts'
import { type ModeOption, modeOf, parsePercent, print, run } from './tools.ts'

type ChargeOptions = ModeOption & { fixed: string; percent: string }
type DiscountOptions = ModeOption & { from: string; until: string }

/** Fees of redemptions, and discounts on them. */
export function addChargeCommands(scrip: Command): void {
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
  scrip
    .command('discount')
    .description('a discount on the fees of a merchant')
    .command('set <code> <percent>')
    .requiredOption('--from <date>', 'such as 2026-12-01')
    .requiredOption('--until <date>', 'the first day without it')
    .option('--test', 'in test mode')
    .action((code: string, percent: string, options: DiscountOptions) =>
      run(async ({ pool, environment, newId }) => {
        const startsAt = new Date(options.from)
        const endsAt = new Date(options.until)
        if (!(endsAt > startsAt)) throw new Error('The discount must end after it starts.')
        const { environmentId } = await environment(code, modeOf(options))
        const discount = { id: newId(), discountPpm: parsePercent(percent), startsAt, endsAt }
        await withEnvironment(pool, environmentId, (tx) => insertDiscount(tx, environmentId, discount))
        print(`${code} pays ${percent} % less from ${options.from} until ${options.until}.`)
      }),
    )
}
