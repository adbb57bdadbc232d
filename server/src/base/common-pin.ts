// One in ten 6-digit PINs in use is 123456, and a few hundred PINs cover a fifth. Ten guesses must not be enough.
const common = new Set(
  '101010 112233 121314 142536 147258 147852 159357 159753 223344 258456 332211 445566 456852 520520 521521 654123 665544 696969 741852 753951 789456 789654 852456 963852 987456 998877'.split(
    ' ',
  ),
)

/** Whether a PIN is among the first that an attacker tries. The server refuses it; screens warn before submitting. */
export function isCommonPin(pin: string): boolean {
  return common.has(pin) || hasTwoDigits(pin) || isSequence(pin) || repeatsBlock(pin) || isDate(pin)
}

// 000000, 110011.
function hasTwoDigits(pin: string): boolean {
  return new Set(pin).size <= 2
}

// 123456, 987654, 890123.
function isSequence(pin: string): boolean {
  const steps = Array.from(pin.slice(1), (digit, i) => (Number(digit) - Number(pin[i]) + 10) % 10)
  return steps.every((step) => step === 1) || steps.every((step) => step === 9)
}

// 121212, 123123, and 123321 (a block and its mirror image).
function repeatsBlock(pin: string): boolean {
  const half = pin.slice(0, pin.length / 2)
  const mirrored = Array.from(half).reverse().join('')
  return pin === half + half || pin === half + mirrored || pin === pin.slice(0, 2).repeat(3)
}

// A birthday as day, month and year in any order, or a year followed or preceded by a month or day.
function isDate(pin: string): boolean {
  const [a = 0, b = 0, c = 0] = [pin.slice(0, 2), pin.slice(2, 4), pin.slice(4)].map(Number)
  const isDayOf = (day: number, month: number): boolean => day >= 1 && day <= 31 && month >= 1 && month <= 12
  const isYear = (year: number): boolean => year >= 1940 && year <= 2039
  return (
    isDayOf(a, b) || isDayOf(b, a) || isDayOf(c, b) || isYear(Number(pin.slice(0, 4))) || isYear(Number(pin.slice(2)))
  )
}
