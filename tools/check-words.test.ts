import { describe, expect, test } from 'vitest'
import { findRetiredWords } from './check-words.ts'
import { allowedUses } from './retired-words.ts'
import { files, read } from './repository.ts'

describe('a retired word is found', () => {
  const planted: Record<string, [file: string, source: string]> = {
    'in a catalogue of a screen': [
      'web/till/words-en.ts',
      `export const en = { hint: 'Whoever has the code can pay.' }`,
    ],
    'between the tags of a component': ['web/till/sale.tsx', `export const Sale = () => <p>Write an amount first</p>`],
    'in an email': ['server/src/mail/words.ts', 'export const subject = (shop: string) => `Your pin at ${shop}`'],
    'in an error message': [
      'server/src/till/errors.ts',
      `export const e = { TILL_SHUT: conflict('Somebody shut it.') }`,
    ],
    'in a summary of the API': ['docs/reference/openapi.json', '{\n  "summary": "Tells what a voucher is worth"\n}'],
    'in a page of the docs': ['docs/guides/till.md', '# Till\n\nThe voucher is mended by the cashier.\n'],
    'in the README': ['README.md', 'Try it with play money.'],
  }
  test.each(Object.entries(planted))('%s', (_place, [file, source]) => {
    expect(findRetiredWords(file, source)).toHaveLength(1)
  })
})

describe('what is not text for people is left alone', () => {
  const fine: Record<string, [file: string, source: string]> = {
    'code in a page': ['docs/guides/till.md', '```sh\necho pin whoever\n```\nRun `told` twice.'],
    'keys and states': ['web/till/sale.tsx', `export const state = { told: 'used' } as const`],
    'a test': ['server/src/till/till.test.ts', `test('somebody', () => {})`],
  }
  test.each(Object.entries(fine))('%s', (_place, [file, source]) => {
    expect(findRetiredWords(file, source)).toEqual([])
  })
})

test('every exception has a reason and is still needed', () => {
  for (const { file, text, reason } of allowedUses) {
    expect(reason).not.toBe('')
    const isNeeded = files.some((name) => file.test(name) && read(name).includes(text))
    expect(isNeeded, `${String(file)}: ${text}`).toBe(true)
  }
})
