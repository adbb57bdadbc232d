const shortLength = 8

/** The end of a reference, for a receipt: short enough to read out. The reference itself finds the payment. */
export function shortReference(reference: string): string {
  return reference.slice(-shortLength).toUpperCase()
}
