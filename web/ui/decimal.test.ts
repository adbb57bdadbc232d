import { describe, expect, test } from 'vitest'
import { addDecimals, isZero, perMille, shortDecimal, subtractDecimal } from './decimal.ts'

const huge = '123456789012345678901234567890.000000000000000001'

describe('decimal strings', () => {
  test('are added without loss, with the decimals of the longer one', () => {
    expect(addDecimals(['0.10', '0.2'])).toBe('0.30')
    expect(addDecimals([huge, '0.000000000000000009'])).toBe('123456789012345678901234567890.000000000000000010')
    expect(addDecimals(['5', '-7.25'])).toBe('-2.25')
    expect(addDecimals([])).toBe('0')
  })

  test('are subtracted without loss, also below zero', () => {
    expect(subtractDecimal('12.50', '0.29')).toBe('12.21')
    expect(subtractDecimal('0.29', '12.5')).toBe('-12.21')
    expect(subtractDecimal('1', '1.00')).toBe('0.00')
    expect(subtractDecimal('0.05', '0.10')).toBe('-0.05')
  })

  test('lose only zeros at the end of long fractions', () => {
    expect(shortDecimal('1.500000000000000000')).toBe('1.5')
    expect(shortDecimal('100.00000')).toBe('100')
    expect(shortDecimal('0.10')).toBe('0.10')
    expect(shortDecimal('1200')).toBe('1200')
    expect(shortDecimal('0.000000000000000001')).toBe('0.000000000000000001')
  })

  test('are zero in any number of decimals', () => {
    expect(['0', '0.00', '0.000000000000000000'].every(isZero)).toBe(true)
    expect(['0.01', '-0.01', '10'].some(isZero)).toBe(false)
  })

  test('are drawn as thousandths of a whole, between 0 and 1000', () => {
    expect(perMille('12.5', '100.00')).toBe(125)
    expect(perMille('0.333', '1')).toBe(333)
    expect(perMille('150', '100')).toBe(1000)
    expect(perMille('-5', '100')).toBe(0)
    expect(perMille('5', '0')).toBe(0)
  })
})
