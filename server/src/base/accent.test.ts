import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accentInk, contrast, onAccent, parseAccent } from './accent.ts'

const channel = fc.integer({ min: 0, max: 255 })
const colours = fc
  .tuple(channel, channel, channel)
  .map((channels) => `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`)
const sheets = { light: '#ffffff', dark: '#1b1916' } as const

/** In degrees. Undefined for a colour that is nearly grey, whose hue is rounding. */
function hueOf(colour: string): number | undefined {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)]
  const range = most - least
  if (range < 24) return undefined
  const sector =
    most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range
  return (sector * 60 + 360) % 360
}

/** Checks every colour with channels in steps of 17: 4,096 colours, with black, white and all primaries. */
function everyCoarseColour(check: (colour: string) => void): void {
  for (let i = 0; i < 4096; i++) {
    const digits = i.toString(16).padStart(3, '0')
    check(`#${digits.replace(/./g, '$&$&')}`)
  }
}

describe('an accent', () => {
  test('is six hexadecimal digits after #, and nothing else', () => {
    expect(parseAccent('#0F4c3A')).toBe('#0f4c3a')
    for (const text of ['', '#fff', '0f4c3a', '#0f4c3', '#0f4c3a0', '#0f4c3g', 'red', 'red;}', '#0f4c3a;}', ' #0f4c3a'])
      expect(parseAccent(text), text).toBeUndefined()
    for (const text of ['#0f4c3a\n', '#0f4c3a"', 'url(//x)', '#０f4c3a', 'rgb(0,0,0)', 'var(--x)'])
      expect(parseAccent(text), text).toBeUndefined()
    fc.assert(fc.property(fc.string(), (text) => /^#[0-9a-f]{6}$/.test(parseAccent(text) ?? '#000000')))
  })
})

describe('every colour', () => {
  const fillIsLegible = (colour: string): void => {
    const { fill, ink } = onAccent(colour)
    expect(contrast(fill, ink), `${ink} on ${fill} for ${colour}`).toBeGreaterThanOrEqual(4.5)
    expect(['#ffffff', '#1c1b18']).toContain(ink)
  }
  const inkIsLegible = (colour: string): void => {
    for (const theme of ['light', 'dark'] as const)
      expect(contrast(accentInk(colour, theme), sheets[theme]), `${colour} in ${theme}`).toBeGreaterThanOrEqual(4.5)
  }

  test('has a fill on which its ink is legible', () => {
    fc.assert(fc.property(colours, fillIsLegible), { numRuns: 2_000 })
    everyCoarseColour(fillIsLegible)
  })

  test('has an ink that is legible on light and on dark sheets', () => {
    fc.assert(fc.property(colours, inkIsLegible), { numRuns: 2_000 })
    everyCoarseColour(inkIsLegible)
  })

  test('keeps its hue', () => {
    const keepsHue = (colour: string): void => {
      const hue = hueOf(colour)
      for (const moved of [accentInk(colour, 'light'), accentInk(colour, 'dark'), onAccent(colour).fill]) {
        const now = hueOf(moved)
        if (hue === undefined || now === undefined) continue
        const away = Math.abs(hue - now)
        expect(Math.min(away, 360 - away), `${colour} became ${moved}`).toBeLessThan(4)
      }
    }
    fc.assert(fc.property(colours, keepsHue), { numRuns: 2_000 })
  })
})

test('a colour that is legible as it is does not change', () => {
  expect(accentInk('#0f4c3a', 'light')).toBe('#0f4c3a')
  expect(accentInk('#8fd0a8', 'dark')).toBe('#8fd0a8')
  expect(onAccent('#0f4c3a')).toEqual({ fill: '#0f4c3a', ink: '#ffffff' })
  expect(onAccent('#f3b72f')).toEqual({ fill: '#f3b72f', ink: '#1c1b18' })
})

test('a medium colour, on which neither ink is legible, becomes darker', () => {
  const { fill, ink } = onAccent('#7a7a7a')
  expect([contrast('#7a7a7a', '#ffffff') < 4.5, contrast('#7a7a7a', '#1c1b18') < 4.5]).toEqual([true, true])
  expect(ink).toBe('#ffffff')
  expect(fill < '#7a7a7a').toBe(true)
})

test('the contrast of known pairs is that of WCAG', () => {
  expect(contrast('#ffffff', '#000000')).toBe(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})
