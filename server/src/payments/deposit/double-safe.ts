/** A JSON number keeps this many decimal digits through a double, in every language. */
const doubleDigits = 15

/**
 * Rounds an amount in minor units up to one that survives a double, so that no client underpays by parsing the quoted number.
 * A whole number of token units stays one: units and steps are both powers of ten.
 */
export function roundUpToDouble(minor: bigint): bigint {
  const surplus = minor.toString().length - doubleDigits
  if (surplus <= 0) return minor
  const step = 10n ** BigInt(surplus)
  return ((minor + step - 1n) / step) * step
}
