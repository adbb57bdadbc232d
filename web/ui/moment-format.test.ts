import { expect, test } from 'vitest'
import { createMomentFormat, type MomentForm } from './moment-format.ts'

const now = new Date('2026-11-16T09:30:00Z')

function write(locale: string, at: string, form: MomentForm, zone = 'Europe/Paris'): string {
  // Engines put different spaces before PM.
  return createMomentFormat(locale, () => now)
    .writeMoment(new Date(at), form, zone)
    .replaceAll(/\s/g, ' ')
}

test('a moment of today has no year', () => {
  expect(write('en', '2026-11-16T07:05:00Z', 'moment')).toBe('Nov 16, 8:05 AM')
  expect(write('fr', '2026-11-16T07:05:00Z', 'moment')).toBe('16 nov., 08:05')
})

test('a moment of any other day has its year', () => {
  expect(write('en', '2026-11-15T07:05:00Z', 'moment')).toBe('Nov 15, 2026, 8:05 AM')
  expect(write('fr', '2025-11-16T07:05:00Z', 'moment')).toBe('16 nov. 2025, 08:05')
})

test('today depends on the time zone', () => {
  const lateYesterday = '2026-11-15T23:30:00Z'
  expect(write('en', lateYesterday, 'moment', 'Europe/Paris')).toBe('Nov 16, 12:30 AM')
  expect(write('en', lateYesterday, 'moment', 'Europe/London')).toBe('Nov 15, 2026, 11:30 PM')
})

test('a receipt has the year, the time and the time zone, also today', () => {
  expect(write('en', '2026-11-16T07:05:00Z', 'receipt', 'America/New_York')).toBe('November 16, 2026 at 2:05 AM EST')
  expect(write('fr', '2026-11-16T07:05:00Z', 'receipt')).toBe('16 novembre 2026 à 08:05 UTC+1')
})

test('the time alone and the day alone stay alone', () => {
  expect(write('en', '2025-03-01T07:05:00Z', 'time')).toBe('8:05 AM')
  expect(write('de', '2025-03-01T07:05:00Z', 'day')).toBe('1. März 2025')
})
