// Limits of the ratios that the documentation guarantees. Only ratios taken in one run: rates depend on the machine.

export type Limit = { readonly name: string; readonly ratio: number } & (
  | { readonly min: number }
  | { readonly max: number }
)

/**
 * Prints a line for each ratio beyond its limit, and returns whether all hold. A ratio without a comparison, such as one
 * with pgbench where that is absent, is not finite or zero and counts as held.
 */
export function checkRatios(bench: string, limits: readonly Limit[]): boolean {
  let isHeld = true
  for (const limit of limits) {
    const { name, ratio } = limit
    if (!Number.isFinite(ratio) || ratio === 0) continue
    const fault = faultOf(limit)
    if (fault === undefined) continue
    console.log(`bench ${bench}: ${name} ${ratio.toFixed(2)} is ${fault}`)
    isHeld = false
  }
  return isHeld
}

function faultOf(limit: Limit): string | undefined {
  if ('min' in limit) return limit.ratio < limit.min ? `below ${limit.min.toFixed(2)}` : undefined
  return limit.ratio > limit.max ? `above ${limit.max.toFixed(2)}` : undefined
}
