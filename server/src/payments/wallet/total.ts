import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { convert, divide, formatMoney, type Rate } from '../../base/money.ts'
import { findRatesTo, pivot } from '../../catalogue/currency/rates.ts'
import { type CatalogueCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { Balance } from './store.ts'
import type { WireTotal } from './wire.ts'

type TotalTools = { readonly pool: Db; readonly clock: Clock }

/**
 * All balances in one currency at the market rates of now, for the start screen. It is an indication: no payment uses it.
 * Balances in currencies without a recent rate are left out, and named.
 */
export async function sumBalances(
  { pool, clock }: TotalTools,
  balances: readonly Balance[],
  catalogue: readonly CatalogueCurrency[],
  wanted: string | undefined,
): Promise<WireTotal> {
  const held = balances
    .filter(({ available }) => available > 0n)
    .map(({ currency, available }) => ({ minor: available, currency: pickCurrency(catalogue, currency, 'any') }))
  const main = chooseMain(
    held.map(({ currency }) => currency),
    catalogue,
    wanted,
  )
  const rates = await findRatesTo(
    pool,
    held.map(({ currency }) => currency.code),
    main.code,
    clock,
  )
  let whole = 0n
  // The fractions of the smallest unit are added exactly, so that the sum is rounded once.
  let fraction: Rate = { numerator: 0n, denominator: 1n }
  for (const money of held) {
    const rate = rates.get(money.currency.code)
    if (rate === undefined) continue
    const converted = convert(money, rate, main, 'down')
    whole += converted.money.minor
    fraction = add(fraction, converted.rest)
  }
  const minor = whole + divide(fraction.numerator, fraction.denominator, 'down')
  const codes = held.map(({ currency }) => currency.code)
  return {
    currency: main.code,
    name: main.name,
    symbol: main.symbol,
    amount: formatMoney({ minor, currency: main }),
    isConverted: codes.some((code) => code !== main.code && rates.has(code)),
    leftOut: codes.filter((code) => !rates.has(code)),
  }
}

/** The wanted currency. Without one: the only fiat currency with a balance, or US dollars. */
function chooseMain(
  held: readonly CatalogueCurrency[],
  catalogue: readonly CatalogueCurrency[],
  wanted: string | undefined,
): CatalogueCurrency {
  if (wanted !== undefined) return pickCurrency(catalogue, wanted, 'any')
  const [first, ...others] = held.filter(({ type }) => type === 'Fiat')
  return first !== undefined && others.length === 0 ? first : pickCurrency(catalogue, pivot, 'any')
}

function add(a: Rate, b: Rate): Rate {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  }
}
