import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanFileName, fileKinds, recogniseFile } from './file-kind.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test('a file is recognised by its first bytes alone', () => {
  expect(recogniseFile(Buffer.from('%PDF-1.7\n'))).toBe('pdf')
  expect(recogniseFile(png)).toBe('png')
  expect(recogniseFile(Buffer.from('ffd8ffe000104a464946', 'hex'))).toBe('jpeg')
  for (const other of [
    '',
    '%PDF',
    ' %PDF-1.7',
    '<!doctype html><script>alert(1)</script>',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    'PK\u0003\u0004',
    'GIF89a',
    'MZ',
    '#!/bin/sh',
  ])
    expect(recogniseFile(Buffer.from(other)), other).toBeUndefined()
  expect(recogniseFile(png.subarray(0, 8))).toBeUndefined()
})

test('a name has no folder and no hidden character, at most 120 characters, and an ending that fits the file', () => {
  const cases: [string, string][] = [
    ['Invoice 7.pdf', 'Invoice 7.pdf'],
    ['INVOICE.PDF', 'INVOICE.PDF'],
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Users\\ivy\\bill.pdf', 'bill.pdf'],
    ['page.html', 'page.html.pdf'],
    ['bill.pdf.exe', 'bill.pdf.exe.pdf'],
    ['fdp.\u202efdp.exe', 'fdp. fdp.exe.pdf'],
    ['a\r\nContent-Type: text/html\r\n\r\n<script>.pdf', 'html <script>.pdf'],
    ['.htaccess', 'htaccess.pdf'],
    ['  ..  ', 'attachment.pdf'],
    ['', 'attachment.pdf'],
    ['.pdf', 'pdf.pdf'],
    ['Rechnung für Ødegård 宋.pdf', 'Rechnung für Ødegård 宋.pdf'],
  ]
  for (const [given, cleaned] of cases) expect(cleanFileName(given, 'pdf')).toBe(cleaned)
  expect(cleanFileName('photo.jpg', 'jpeg')).toBe('photo.jpg')
  expect(cleanFileName('photo.jpeg', 'jpeg')).toBe('photo.jpeg')
  expect(cleanFileName('photo.png', 'jpeg')).toBe('photo.png.jpg')
  expect(Array.from(cleanFileName('😀'.repeat(200), 'png'))).toHaveLength(120)
})

test('any name becomes one that is safe to save', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...fileKinds), (given, kind) => {
      const name = cleanFileName(given, kind)
      expect(name).toMatch(/^[^/\\\p{Cc}\u202a-\u202e\u2066-\u2069]+\.(pdf|png|jpe?g)$/iu)
      expect(name).not.toMatch(/^[. ]/)
      expect(Array.from(name).length).toBeLessThanOrEqual(120)
      expect(cleanFileName(name, kind)).toBe(name)
    }),
  )
})
