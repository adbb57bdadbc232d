import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'

export type Pdf = InstanceType<typeof PDFDocument>
/** A piece of text in one font that has glyphs for all of its letters. */
export type Run = { readonly text: string; readonly font: string }

export const mm = 72 / 25.4
export const ink = '#16181a'
export const faded = '#63676b'
export const green = '#0f4c3a'
export const amber = '#b97900'

const { resolve } = createRequire(import.meta.url)
const subsets = ['latin', 'latin-ext', 'vietnamese', 'cyrillic', 'cyrillic-ext', 'greek'] as const
const weights = { regular: 400, semibold: 600 } as const

/** Registers the fonts under the names that runsOf uses. The family has one file per script. */
export function registerFonts(pdf: Pdf): void {
  fonts ??= readFonts()
  for (const [name, bytes] of fonts) pdf.registerFont(name, bytes)
}

let fonts: ReadonlyMap<string, Buffer> | undefined

function readFonts(): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const add = (name: string, file: string): unknown => found.set(name, readFileSync(resolve(file)))
  add('mono', '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff')
  for (const [weight, number] of Object.entries(weights))
    for (const subset of subsets)
      add(`${weight} ${subset}`, `@fontsource/ibm-plex-sans/files/ibm-plex-sans-${subset}-${number}-normal.woff`)
  return found
}

/** Splits text into runs of one font. Letters without a glyph become `missing`; without `missing` the result is undefined. */
export function runsOf(pdf: Pdf, text: string, weight: keyof typeof weights, missing: string): Run[]
export function runsOf(pdf: Pdf, text: string, weight: keyof typeof weights): Run[] | undefined
export function runsOf(pdf: Pdf, text: string, weight: keyof typeof weights, missing?: string): Run[] | undefined {
  const runs: { text: string; font: string }[] = []
  for (const letter of text.normalize('NFC').replaceAll('\u202f', '\u00a0')) {
    // If no font has the accented letter, fall back to the letter without its accent.
    const found = [letter, letter.normalize('NFD').charAt(0), missing ?? ''].flatMap((shown) => {
      if (shown === '') return []
      const font = subsets.map((subset) => `${weight} ${subset}`).find((name) => hasLetter(pdf, name, shown))
      return font === undefined ? [] : [{ text: shown, font }]
    })[0]
    if (found === undefined) return undefined
    const last = runs.at(-1)
    if (last?.font === found.font) last.text += found.text
    else runs.push({ ...found })
  }
  return runs
}

/** Caches which letters each font has. */
const known = new Map<string, boolean>()

function hasLetter(pdf: Pdf, font: string, letter: string): boolean {
  const key = `${font} ${letter}`
  const found = known.get(key) ?? readsGlyph(pdf, font, letter)
  known.set(key, found)
  return found
}

function readsGlyph(pdf: Pdf, font: string, letter: string): boolean {
  // pdfkit's own font object, which its types do not include.
  const { _font } = pdf.font(font) as unknown as {
    _font: { font: { hasGlyphForCodePoint: (point: number) => boolean } }
  }
  return _font.font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)
}

type Line = {
  readonly size: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly color: string
  readonly align?: 'left' | 'centre' | 'right'
}

const shares = { left: 0, centre: 0.5, right: 1 }

/** Writes one line of text, scaled down if it is wider than `width`. */
export function write(pdf: Pdf, runs: readonly Run[], { size, x, y, width, color, align = 'left' }: Line): void {
  const widthOf = ({ text, font }: Run): number => pdf.font(font).fontSize(size).widthOfString(text)
  const wide = runs.reduce((sum, run) => sum + widthOf(run), 0)
  const scale = Math.min(1, width / wide)
  let at = x + (width - wide * scale) * shares[align]
  for (const run of runs) {
    const step = widthOf(run) * scale
    pdf
      .fontSize(size * scale)
      .fillColor(color)
      .text(run.text, at, y, { lineBreak: false })
    at += step
  }
}
