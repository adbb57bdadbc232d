import { groupDecimal } from '../ui/numbers.ts'
import type { Quote } from './request-wallet.ts'

type Rate = Quote['rate']
type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

/**
 * A quote's rate and the market rate as text: "1 USD = 0.8955 EUR". A rate below 0.1 is inverted, since 0.000331 ETH and
 * 0.000333 ETH are hard to compare. The market rate decides for both, so that they always have the same direction.
 */
export function writeRates({ from, to, rate, marketRate }: Quote): { readonly rate: string; readonly market: string } {
  const market = readRate(marketRate)
  const isSmall = market.numerator * 10n < market.denominator
  const write = (each: Fraction): string =>
    isSmall ? writeEquation(to, invert(each), from) : writeEquation(from, each, to)
  return { rate: write(readRate(rate)), market: write(market) }
}

/** Minutes and seconds: "1:59". */
export function writeCountdown(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function readRate({ numerator, denominator }: Rate): Fraction {
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) }
}

function invert({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator, denominator: numerator }
}

function writeEquation(one: string, rate: Fraction, other: string): string {
  return `1\u00a0${one} = ${groupDecimal(roundRate(rate))}\u00a0${other}`
}

/** Four decimals show a spread of 0.1 % in rates from 0.1; two are enough from 100. */
function roundRate({ numerator, denominator }: Fraction): string {
  const decimals = numerator < 100n * denominator ? 4 : 2
  const units = (2n * numerator * 10n ** BigInt(decimals) + denominator) / (2n * denominator)
  const digits = String(units).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
