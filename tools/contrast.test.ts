import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

type Theme = 'light' | 'dark'

const css = readFileSync(resolve(import.meta.dirname, '../web/ui/tokens.css'), 'utf8')

/** Colours by name: a pair for light and dark, or one for both. */
function readColours(theme: Theme): Map<string, string> {
  const colours = new Map<string, string>()
  for (const [, name = '', light = '', dark = ''] of css.matchAll(
    /--([a-z0-9-]+): (?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;/g,
  ))
    colours.set(name, theme === 'dark' && dark !== '' ? dark : light)
  return colours
}

/** The contrast of two colours by WCAG 2, from 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const surfaces = ['paper', 'paper-deep', 'sheet', 'sheet-soft', 'sheet-raised', 'shade']
const texts: readonly (readonly [string, readonly string[]])[] = [
  ['ink', [...surfaces, 'shade-strong', 'green-wash', 'red-wash', 'amber-wash', 'blue-wash']],
  ['ink-soft', [...surfaces, 'shade-strong']],
  ['ink-faint', ['paper', 'sheet', 'sheet-soft', 'shade']],
  ['green', ['paper', 'sheet', 'sheet-soft', 'green-wash']],
  ['red', ['paper', 'sheet', 'sheet-soft', 'red-wash']],
  ['amber', ['paper', 'sheet', 'sheet-soft', 'amber-wash']],
  ['blue', ['paper', 'sheet', 'sheet-soft', 'blue-wash']],
  ['on-green', ['green-fill', 'green-fill-hover']],
  ['on-red', ['red-fill', 'red-fill-hover']],
  ['test-ink', ['test-badge']],
  ['plum', ['plum-wash']],
  ['indigo', ['indigo-wash']],
  ['clay', ['clay-wash']],
]
const borders: readonly (readonly [string, readonly string[]])[] = [
  ['line-control', ['sheet', 'paper']],
  ['green', ['sheet', 'paper']],
  ['red', ['sheet', 'paper']],
]

test.for(['light', 'dark'] as const)('in the %s theme, text reaches 4.5:1 and borders of controls 3:1', (theme) => {
  const colours = readColours(theme)
  const listWeak = (pairs: typeof texts, least: number): string[] =>
    pairs.flatMap(([front, backs]) =>
      backs
        .map((back) => [back, contrastOf(colours.get(front) ?? '', colours.get(back) ?? '')] as const)
        .filter(([, contrast]) => !(contrast >= least))
        .map(([back, contrast]) => `${front} on ${back}: ${contrast.toFixed(2)}`),
    )
  expect([...listWeak(texts, 4.5), ...listWeak(borders, 3)]).toEqual([])
})
