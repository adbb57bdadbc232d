// The first file of each font has only what most pages need. The others load by their unicode-range (ui/fonts.css).
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { convert } from 'fontverter'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'
import { renameFont } from './rename-font.ts'

type Cut = { readonly source: string; readonly characters: string }

const { resolve: find } = createRequire(import.meta.url)
const sans = '@fontsource-variable/ibm-plex-sans'
const mono = '@fontsource/ibm-plex-mono'

/** The fonts to cut, by the names of their files. The unicode-ranges in ui/fonts.css name the same characters. */
const cuts: Readonly<Record<string, Cut>> = {
  'scrip-sans': {
    source: `${sans}/files/ibm-plex-sans-latin-wght-normal.woff2`,
    // Basic Latin, the accents of Western European languages, quotation marks, dashes, spaces and arrows.
    characters: `${range(0x20, 0x7e)}${range(0xa0, 0xff)}Œœ\u2009\u200a\u202f‐‑–—‘’‚“”„•…‹›€™↑↓−`,
  },
  'scrip-sans-currencies': {
    source: `${sans}/files/ibm-plex-sans-latin-ext-wght-normal.woff2`,
    // Without the euro sign, which is in the first file.
    characters: `${range(0x20a0, 0x20ab)}${range(0x20ad, 0x20c0)}`,
  },
  'scrip-mono': {
    source: `${mono}/files/ibm-plex-mono-latin-500-normal.woff2`,
    // Codes, also hidden ones, and small capitals with the accents of French.
    characters: `${range(0x41, 0x5a)}${range(0x30, 0x39)}-. •ÀÂÇÈÉÊËÎÏÔÙÛÜ`,
  },
}
/** What each cut font is made for. */
export const characterSets: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(cuts).map(([name, { characters }]) => [name, characters]),
)

const options = {
  targetFormat: 'sfnt',
  // Copyright, licence and its address, which the licence wants in every copy.
  preserveNameIds: [0, 13, 14],
  // All digits of the fonts are tabular and lining without a feature.
  keepFeatures: ['kern', 'liga'],
  // Instructions for screens of low resolution are a fifth of the text font.
  noHinting: true,
} as const
/** The weights of the design system. */
const weights = { wght: { min: 400, max: 600 } }

/** Cuts the fonts, ships their licence, and preloads the font of every page's text. */
export function fonts(): Plugin {
  return {
    name: 'scrip-fonts',
    config: async () => ({ resolve: { alias: { '@fonts': await writeFonts() } } }),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'font-licence.txt', source: writeLicence() })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const text = Object.keys(bundle ?? {}).find((file) => /\/scrip-sans-[\w-]{8}\.woff2$/.test(file))
        if (text === undefined) throw new Error('The bundle has no font to preload.')
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${text}` }
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** The font as the pages load it. */
export async function cutFont(name: string): Promise<Buffer> {
  const cut = cuts[name]
  if (cut === undefined) throw new Error(`No font is called ${name}.`)
  const font = readFileSync(find(cut.source))
  const isVariable = cut.source.includes('wght')
  const small = await subsetFont(font, cut.characters, { ...options, ...(isVariable && { variationAxes: weights }) })
  return convert(renameFont(small), 'woff2')
}

/** Writes the fonts to a folder, unless it has them. Its name is a digest of what they are made of: cutting takes two seconds. */
async function writeFonts(): Promise<string> {
  const sources = Object.values(cuts).map(({ source }) => find(source))
  const code = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name))
  const digest = createHash('sha256')
  for (const file of [...sources, ...code]) digest.update(readFileSync(file))
  const folder = resolve(
    import.meta.dirname,
    '../../node_modules/.cache/scrip-fonts',
    digest.digest('hex').slice(0, 16),
  )
  if (existsSync(folder)) return folder
  // Renamed when it is complete.
  const draft = `${folder}-${process.pid}`
  mkdirSync(draft, { recursive: true })
  for (const name of Object.keys(cuts)) writeFileSync(join(draft, `${name}.woff2`), await cutFont(name))
  renameSync(draft, folder)
  return folder
}

function writeLicence(): string {
  const note = 'Scrip Sans and Scrip Mono are parts of IBM Plex Sans and IBM Plex Mono, under the licence below.'
  return `${note}\n\n${readFileSync(find(`${mono}/LICENSE`), 'utf8')}`
}

function range(first: number, last: number): string {
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i))
}
