import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type PDFDocument from 'pdfkit'

export type Pdf = InstanceType<typeof PDFDocument>
/** A part of a text and the font that has its letters. */
export type Run = { readonly text: string; readonly font: string }

const { resolve } = createRequire(import.meta.url)
const subsets = ['latin', 'latin-ext', 'vietnamese', 'cyrillic', 'cyrillic-ext', 'greek'] as const
const weights = { regular: 400, semibold: 600 } as const

/** By the names that they are asked for. The family comes as a file for each script. */
export function registerFonts(pdf: Pdf): void {
  const add = (name: string, file: string): unknown => pdf.registerFont(name, readFileSync(resolve(file)))
  add('mono', '@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-500-normal.woff')
  for (const [weight, number] of Object.entries(weights))
    for (const subset of subsets)
      add(`${weight} ${subset}`, `@fontsource/ibm-plex-sans/files/ibm-plex-sans-${subset}-${number}-normal.woff`)
}

/** The text in runs of one script each, or nothing if some letter of it cannot be printed. */
export function runsOf(pdf: Pdf, text: string, weight: keyof typeof weights): Run[] | undefined {
  const runs: { text: string; font: string }[] = []
  for (const letter of text.normalize('NFC')) {
    // An accent that no file has is left out rather than the whole name.
    const found = [letter, letter.normalize('NFD').charAt(0)].flatMap((shown) => {
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

function hasLetter(pdf: Pdf, font: string, letter: string): boolean {
  // What pdfkit reads the font with, of which its types do not tell.
  const { _font } = pdf.font(font) as unknown as {
    _font: { font: { hasGlyphForCodePoint: (point: number) => boolean } }
  }
  return _font.font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0)
}
