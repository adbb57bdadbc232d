import { locale } from './locale.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte

const format = (unit: string, digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: digits })
const inKilobytes = format('kilobyte', 0)
const inMegabytes = format('megabyte', 1)

/** Such as 48 kB, or 1.2 MB. */
export function writeSize(bytes: number): string {
  if (bytes >= megabyte) return inMegabytes.format(bytes / megabyte)
  return inKilobytes.format(Math.max(1, bytes / kilobyte))
}
