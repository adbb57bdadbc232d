import { groupDecimal } from '../../ui/numbers.ts'

/** A whole number as the reader's locale writes it: 10,000. */
export function writeCount(count: number): string {
  return groupDecimal(String(count))
}
