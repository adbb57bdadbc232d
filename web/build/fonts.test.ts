import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { convert } from 'fontverter'
import { describe, expect, test } from 'vitest'
import { characterSets, cutFont } from './fonts.ts'
import { readFontNames } from './rename-font.ts'
import { readSfnt } from './sfnt.ts'

const css = readFileSync(resolve(import.meta.dirname, '../ui/fonts.css'), 'utf8')

const faces = css.match(/@font-face \{[^}]+\}/g) ?? []

/** The code points that the style sheet loads a font for. */
function rangeOf(face = ''): number[] {
  const [, range = ''] = /unicode-range:([^;]+);/.exec(face) ?? []
  return range.split(',').flatMap((part) => {
    const [first = 0, last = first] = part
      .trim()
      .slice(2)
      .split('-')
      .map((hex) => parseInt(hex, 16))
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}

describe('fonts', () => {
  const names = Object.keys(characterSets)

  test.each(names)('%s is named differently from the original and has its copyright', async (name) => {
    const found = readFontNames(await convert(await cutFont(name), 'sfnt'))
    expect(found.get(1)).toMatch(/^Scrip (Sans|Mono)/)
    expect(found.get(0)).toContain('IBM Corp')
    // The notices of copyright and licence name the original.
    for (const id of [0, 13, 14]) expect(found.get(id) ?? '').not.toContain('Scrip')
    expect([...found].filter(([id, text]) => ![0, 13, 14].includes(id) && text.includes('Plex'))).toEqual([])
  })

  test.each(names)('the style sheet loads %s for exactly the characters that it is cut to', (name) => {
    const characters = Array.from(characterSets[name] ?? '', (character) => character.codePointAt(0) ?? 0)
    expect(rangeOf(faces.find((face) => face.includes(`@fonts/${name}.woff2`)))).toEqual(
      [...new Set(characters)].sort((a, b) => a - b),
    )
  })

  test.each(['Scrip Sans', 'Scrip Mono'])('no character loads two files of %s', (family) => {
    const points = faces.filter((face) => face.includes(`"${family}"`)).flatMap(rangeOf)
    expect(points.length).toBeGreaterThan(500)
    expect(points.length).toBe(new Set(points).size)
  })

  test('the text font has one axis, from 400 to 600', async () => {
    const fvar = readSfnt(await convert(await cutFont('scrip-sans'), 'sfnt')).tables.get('fvar')
    const axis = fvar?.readUInt16BE(4) ?? 0
    expect(fvar?.readUInt16BE(8)).toBe(1)
    expect(fvar?.toString('latin1', axis, axis + 4)).toBe('wght')
    expect([fvar?.readUInt16BE(axis + 4), fvar?.readUInt16BE(axis + 12)]).toEqual([400, 600])
  })
})
