import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PinCount, tryPin } from './pin.ts'

const fresh: PinCount = { wrongInRow: 0, wrongInAll: 0, lockedUntil: null }
const start = Date.parse('2026-01-01T00:00:00Z')
const minutes = (n: number): Date => new Date(start + n * 60_000)

function run(tries: { pin: boolean; at: Date }[]): { verdicts: string[]; compared: number; froze: number } {
  let count = fresh
  let compared = 0
  let froze = 0
  const verdicts = tries.map(({ pin, at }) => {
    const tried = tryPin(count, () => (compared++, pin), at)
    count = tried.count
    froze += Number(tried.froze)
    return tried.verdict
  })
  return { verdicts, compared, froze }
}
const times = (n: number, pin: boolean, at: Date) => Array.from({ length: n }, () => ({ pin, at }))

test('five wrong PINs in a row lock it for 15 minutes, even for the right PIN', () => {
  const { verdicts } = run([
    ...times(5, false, minutes(0)),
    ...times(2, true, minutes(14.9)),
    ...times(1, true, minutes(15)),
  ])
  expect(verdicts).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'wrong', 'locked', 'locked', 'right'])
})

test('a right PIN resets the count of wrong PINs in a row, but not the total', () => {
  const four = [...times(4, false, minutes(0)), ...times(1, true, minutes(0))]
  const { verdicts, froze } = run([...four, ...four, ...times(3, false, minutes(0))])
  expect(verdicts.filter((verdict) => verdict === 'locked')).toEqual([])
  expect(verdicts.slice(-3)).toEqual(['wrong', 'wrong', 'frozen'])
  expect(froze).toBe(1)
})

test('ten wrong PINs in total freeze it permanently, and only one attempt reports froze', () => {
  const { verdicts, compared, froze } = run([
    ...times(6, false, minutes(0)),
    ...times(6, false, minutes(15)),
    ...times(3, true, minutes(10_000_000)),
  ])
  expect(compared).toBe(10)
  expect(froze).toBe(1)
  expect(verdicts.slice(-3)).toEqual(['frozen', 'frozen', 'frozen'])
})

test('at most ten wrong PINs are ever compared, and at most five within 15 minutes without a right one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ pin: fc.boolean(), gap: fc.integer({ min: 0, max: 20 }) }), { maxLength: 60 }),
      (tries) => {
        let at = 0
        let row: number[] = []
        let wrong = 0
        let count = fresh
        for (const { pin, gap } of tries) {
          at += gap
          const { verdict, count: after } = tryPin(count, () => pin, minutes(at))
          count = after
          if (verdict === 'right') row = []
          if (verdict !== 'wrong') continue
          wrong++
          row = [...row, at].filter((time) => time > at - 15)
          expect(row.length).toBeLessThanOrEqual(5)
        }
        expect(wrong).toBeLessThanOrEqual(10)
      },
    ),
  )
})
