import type { Command } from 'commander'
import { withEnvironment } from '../server/src/base/environment.ts'
import { insertDiscount } from '../server/src/catalogue/charge/store.ts'
import { type ModeOption, modeOf, parsePercent, print, run } from './tools.ts'

type DiscountOptions = ModeOption & { from: string; until: string }

/** Discounts on the fees of redemptions. */
export function addDiscountCommands(scrip: Command): void {
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
