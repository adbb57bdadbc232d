import { describe, expect, test } from 'vitest'
import { contrast } from '../base/accent.ts'
import { noBrand } from './brand.ts'
import { compose } from './compose.ts'
import { toHtml, toText } from './letter.ts'

const stage = { platformName: 'Scrip', publicUrl: 'https://pay.example' }
const gift = {
  kind: 'gift',
  content: {
    shop: 'Corner Books',
    money: { amount: '5.00', currency: 'USD' },
    lastDay: '',
    isLocked: false,
    mode: 'live',
  },
} as const
const write = (brand: object) => compose(gift, 'en', '0000-0000-0000-0000', stage, { ...noBrand, ...brand })

/** The background and the colour of the button. */
function buttonOf(html: string): [string, string] {
  const [, fill = '', ink = ''] = /class="button"[^>]*background:(#\w{6});color:(#\w{6})/.exec(html) ?? []
  return [fill, ink]
}

describe('an email with a brand', () => {
  test('has a legible button in every colour of a shop, light and dark', () => {
    for (const accent of ['#ffffff', '#000000', '#7a7a7a', '#ffff00', '#ff0000', '#00ff00', '#0000ff', '#f3b72f']) {
      const html = toHtml(write({ accent }))
      expect(contrast(...buttonOf(html)), accent).toBeGreaterThanOrEqual(4.5)
      expect(html, accent).toContain('class="rule"')
    }
  })

  test('lets no text but a colour into its styles', () => {
    for (const accent of ['red;}', 'rgb(1,2,3)', '#17563a;}</style><script>', 'url(https://evil.example)']) {
      const html = toHtml(write({ accent }))
      expect(html).not.toContain(accent)
      expect(html).not.toContain('evil')
      expect(buttonOf(html)).toEqual(['#0f4c3a', '#ffffff'])
      expect(html).not.toContain('class="rule"')
    }
  })

  test('escapes address and tax number, and writes each line of the address on its own', () => {
    const html = toHtml(write({ address: '<img src=x onerror=alert(1)>\n2 & 4 "High" Street', taxNumber: '</td><b>1' }))
    expect(html).toContain(
      '&lt;img src=x onerror=alert(1)&gt;<br>2 &amp; 4 &quot;High&quot; Street<br>Tax number: &lt;/td&gt;',
    )
    expect(html).not.toContain('<img src=x')
    expect(html).not.toContain('<b>1')
  })

  test('has the same plain text as without', () => {
    const branded = write({ accent: '#a3211b', logo: Buffer.alloc(24), address: '1 High Street', taxNumber: 'NG 1' })
    expect(toText(branded)).toBe(toText(write({})))
  })
})
