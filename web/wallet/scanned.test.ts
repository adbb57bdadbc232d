import { expect, test } from 'vitest'
import { writeSymbols } from '../../server/src/vouchers/code/symbols.ts'
import { readScanned, writePayLink } from './scanned.ts'

const origin = 'https://pay.example'
const here = { origin, realm: 'live' }
const id = '01a2b3c4-0000-7000-8000-0123456789ab'
const code = writeSymbols(Array.from({ length: 15 }, (_, place) => place + 2))

test('the link of a payment request, a voucher and a user are told apart', () => {
  expect(readScanned(`${origin}/app/pay/${id.toUpperCase()}`, here)).toEqual({ kind: 'request', id })
  expect(readScanned(`${origin}/v#${code}`, here)).toEqual({ kind: 'voucher', code })
  expect(readScanned(code.replace(/(.{4})/, '$1-'), here)).toMatchObject({ kind: 'voucher' })
  expect(readScanned(`${origin}/v#SHOP.12%2034`, here)).toEqual({ kind: 'voucher', code: 'SHOP.12 34' })
  expect(readScanned(` ${writePayLink('ada.obi', here)} `, here)).toEqual({ kind: 'user', username: 'ada.obi' })
})

test('a pay link of the other mode is refused, because its name may belong to another user here', () => {
  const test = writePayLink('ada', { origin, realm: 'test' })
  expect(readScanned(test, here)).toEqual({ kind: 'other-mode' })
  expect(readScanned(`${origin}/app/send/ada`, here)).toEqual({ kind: 'other-mode' })
})

test.each([
  '',
  'hello',
  '12345678',
  'javascript:alert(1)',
  `https://evil.example/app/pay/${id}`,
  `https://evil.example/v#${code}`,
  `http://pay.example/app/pay/${id}`,
  `${origin}/app/pay/not-an-id`,
  `${origin}/app/settings`,
  `${origin}/v`,
  `${origin}/v#%E0%A4%A`,
  'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=1',
])('%s is not a payment', (text) => {
  expect(readScanned(text, here)).toEqual({ kind: 'unknown' })
})
