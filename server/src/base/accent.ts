/** The colours of a brand, with contrast. Pages use this file too, so it imports nothing. */
export type Theme = 'light' | 'dark'

const white = '#ffffff'
const black = '#000000'
/** The ink of our pages. */
const nearBlack = '#1c1b18'
const sheets: Readonly<Record<Theme, string>> = { light: white, dark: '#1b1916' }

/** WCAG 2.2, 1.4.3: for text of any size. */
const contrastMin = 4.5
const steps = 100

/** The colour as #rrggbb in lower case. Undefined for every other text, so that no other text reaches a style. */
export function parseAccent(text: string): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined
}

/** A fill with the ink that is legible on it. A medium colour, on which neither white nor near-black is, becomes darker. */
export function onAccent(colour: string): { readonly fill: string; readonly ink: string } {
  if (isLegible(nearBlack, colour)) return { fill: colour, ink: nearBlack }
  return { fill: move(colour, black, (fill) => isLegible(white, fill)), ink: white }
}

/** The colour for text and lines on a sheet: the same hue, as dark or as light as the sheet needs. */
export function accentInk(colour: string, theme: Theme): string {
  const sheet = sheets[theme]
  return move(colour, theme === 'light' ? black : white, (ink) => isLegible(ink, sheet))
}

/** The contrast ratio of WCAG, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function isLegible(ink: string, fill: string): boolean {
  return contrast(ink, fill) >= contrastMin
}

/** Mixes a colour with black or white, no more than is enough. Its hue stays. */
function move(colour: string, end: string, isEnough: (mixed: string) => boolean): string {
  for (let step = 0; step < steps; step++) {
    const mixed = mix(colour, end, step / steps)
    if (isEnough(mixed)) return mixed
  }
  return end
}

function mix(colour: string, end: string, share: number): string {
  const ends = channelsOf(end)
  const mixed = channelsOf(colour).map((channel, i) => Math.round(channel + ((ends[i] ?? 0) - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Red, green and blue, from 0 to 255. */
function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
