import { type Command, Option } from 'commander'
import { parseMoney } from '../server/src/base/money.ts'
import { saveCurrency, setCurrencyActive } from '../server/src/catalogue/currency/store.ts'
import { addEnableCommands } from './enable.ts'
import { print, run } from './tools.ts'

type CurrencyOptions = {
  name: string
  symbol: string
  decimals: string
  min: string
  max: string
  type: 'Fiat' | 'Crypto'
}

/** The currencies that the platform offers. */
export function addCurrencyCommands(scrip: Command): void {
  const currency = scrip.command('currency').description('the currencies that the platform offers')
  addEnableCommands(currency, 'currency', setCurrencyActive)
  currency
    .command('set <abbreviation>')
    .description('adds a currency, or changes its name, symbol and limits')
    .requiredOption('--name <name>')
    .requiredOption('--symbol <symbol>')
    .requiredOption('--decimals <number>', 'of its smallest unit; cannot be changed')
    .requiredOption('--min <amount>', 'smallest amount, in major units')
    .requiredOption('--max <amount>', 'largest amount, in major units')
    .addOption(new Option('--type <which>').choices(['Fiat', 'Crypto']).default('Fiat'))
    .action((code: string, options: CurrencyOptions) =>
      run(async ({ pool, clock }) => {
        const unit = { code, decimals: Number(options.decimals) }
        const amountMin = parseMoney(options.min, unit).minor
        const amountMax = parseMoney(options.max, unit).minor
        const { name, symbol, type } = options
        if (!(await saveCurrency(pool, { ...unit, name, symbol, type, amountMin, amountMax }, clock())))
          throw new Error(`${code} exists with other decimals or another type, which cannot be changed.`)
        print(`${code} is in the catalogue.`)
      }),
    )
}
