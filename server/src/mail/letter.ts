import { accentInk, onAccent, parseAccent } from '../base/accent.ts'
import type { MailBrand } from './brand.ts'
import { imageIds, shownSize } from './images.ts'

/** An email. HTML and plain text are made of the same blocks, so both have the same content. */
export type Letter = {
  readonly subject: string
  /** Shown by email programs beside the subject. */
  readonly preview: string
  readonly from: string
  readonly blocks: readonly Block[]
  readonly isTest: boolean
  readonly testNote: string
  /** How the HTML looks. The plain text has no brand. */
  readonly brand: MailBrand
  /** The address and the tax number of the shop, in lines, under the HTML. */
  readonly imprint: readonly string[]
}

export type Block =
  | { readonly is: 'title' | 'text' | 'small'; readonly text: string }
  | { readonly is: 'button'; readonly label: string; readonly url: string }
  /** Names and values, as on a receipt. */
  | { readonly is: 'rows'; readonly rows: readonly (readonly [name: string, value: string])[] }
  /** A voucher, drawn like a ticket. */
  | {
      readonly is: 'ticket'
      readonly shop: string
      readonly amount: string
      readonly code: string
      readonly note: string
      /** What its QR code leads to, and the text for readers who do not see it. Only the HTML has it. */
      readonly qr: { readonly link: string; readonly alt: string }
    }

export function toText({ blocks, isTest, testNote, from }: Letter): string {
  const parts = blocks.map((block) => {
    if (block.is === 'button') return `${block.label}:\n${block.url}`
    if (block.is === 'rows') return block.rows.map(([name, value]) => `${name}: ${value}`).join('\n')
    if (block.is === 'ticket') return [block.shop, block.amount, block.code, block.note].filter(Boolean).join('\n')
    return block.text
  })
  return [...(isTest ? [testNote] : []), ...parts, `-- \n${from}`].join('\n\n')
}

const font = `-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif`
const mono = `ui-monospace, 'SF Mono', Menlo, Consolas, monospace`

/** The colours of an email: of its buttons, and of what is emphasized on a light and on a dark sheet. */
type Colours = {
  readonly button: Button
  readonly darkButton: Button
  readonly ink: string
  readonly darkInk: string
}
type Button = { readonly fill: string; readonly ink: string }

const platformColours: Colours = {
  button: { fill: '#0f4c3a', ink: '#ffffff' },
  darkButton: { fill: '#7fd1a8', ink: '#10221a' },
  ink: '#0f4c3a',
  darkInk: '#7fd1a8',
}

/** The shop's colours. A text that is no colour must not reach a style, whoever stored it. */
function coloursOf({ accent }: MailBrand): Colours {
  const colour = parseAccent(accent)
  if (colour === undefined) return platformColours
  const button = onAccent(colour)
  return { button, darkButton: button, ink: accentInk(colour, 'light'), darkInk: accentInk(colour, 'dark') }
}

// Tables and inline styles, because email programs support little else. Dark colours where the program supports them.
const dark = ({ darkButton, darkInk }: Colours): string => `
  @media (prefers-color-scheme: dark) {
    .page { background: #141614 !important } .sheet { background: #1d201e !important; border-color: #343a36 !important }
    .ink { color: #eceeea !important } .faded { color: #a5aca6 !important } .accent { color: ${darkInk} !important }
    .line { border-color: #343a36 !important } .button { background: ${darkButton.fill} !important; color: ${darkButton.ink} !important }
    .rule { background: ${darkInk} !important }
    .ticket { background: #222723 !important; border-color: #4a534d !important }
  }`

export function toHtml(letter: Letter): string {
  const { subject, preview, blocks, isTest, testNote, from, brand, imprint } = letter
  const colours = coloursOf(brand)
  const band = isTest
    ? `<tr><td style="background:#f5c451;color:#3a2a00;padding:8px 24px;font:600 13px ${font}">${safe(testNote)}</td></tr>`
    : ''
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${safe(subject)}</title><style>${dark(colours)}</style></head>
<body class="page" style="margin:0;padding:0;background:#f6f5f0">
<div style="display:none;max-height:0;overflow:hidden">${safe(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0"
  style="max-width:520px;background:#ffffff;border:1px solid #dddbd2;border-radius:4px">
${ruleHtml(brand, colours)}${band}${logoHtml(brand)}<tr><td style="padding:28px 24px 8px">
${blocks.map((block) => blockHtml(block, colours)).join('\n')}
</td></tr>
<tr><td class="faded line" style="padding:16px 24px;border-top:1px solid #e6e4dc;color:#63676b;font:13px/1.5 ${font}">${[from, ...imprint].map(safe).join('<br>')}</td></tr>
</table></td></tr></table></body></html>`
}

function ruleHtml({ accent }: MailBrand, { ink }: Colours): string {
  if (parseAccent(accent) === undefined) return ''
  return `<tr><td class="rule" height="4" style="height:4px;font-size:0;line-height:0;background:${ink}">&nbsp;</td></tr>`
}

/** On white, because a logo may be dark and the sheet too. Its name is in the text of every email. */
function logoHtml({ logo }: MailBrand): string {
  if (logo === undefined) return ''
  const { width, height } = shownSize(logo)
  return `<tr><td style="padding:24px 24px 0"><img src="cid:${imageIds.logo}" alt="" width="${width}" height="${height}"
  style="display:block;padding:4px;border-radius:4px;background:#ffffff"></td></tr>`
}

const texts = {
  title: { tag: 'h1', ink: 'ink', style: `color:#16181a;font:600 22px/1.3 ${font}` },
  text: { tag: 'p', ink: 'ink', style: `color:#16181a;font:16px/1.5 ${font}` },
  small: { tag: 'p', ink: 'faded', style: `color:#63676b;font:13px/1.5 ${font}` },
}

function blockHtml(block: Block, colours: Colours): string {
  if (block.is === 'rows') return rowsHtml(block.rows)
  if (block.is === 'ticket') return ticketHtml(block, colours)
  if (block.is === 'button')
    return `<p style="margin:0 0 20px"><a class="button" href="${safe(block.url)}" style="display:inline-block;background:${colours.button.fill};color:${colours.button.ink};padding:12px 20px;border-radius:4px;font:600 16px ${font};text-decoration:none">${safe(block.label)}</a></p>`
  const { tag, ink, style } = texts[block.is]
  return `<${tag} class="${ink}" style="margin:0 0 16px;${style}">${safe(block.text)}</${tag}>`
}

function ticketHtml(block: Extract<Block, { is: 'ticket' }>, { ink }: Colours): string {
  return `<table role="presentation" class="ticket" width="100%" cellpadding="0" cellspacing="0"
  style="margin:0 0 20px;background:#fbfaf5;border:1px dashed #8b8f8a;border-radius:6px"><tr><td style="padding:20px">
<div class="ink" style="color:#16181a;font:600 15px ${font}">${safe(block.shop)}</div>
<div class="accent" style="margin:6px 0 14px;color:${ink};font:600 32px/1.2 ${font};font-variant-numeric:tabular-nums">${safe(block.amount)}</div>
<div class="ink" style="color:#16181a;font:600 18px/1.4 ${mono};letter-spacing:0.04em">${safe(block.code)}</div>
<div class="faded" style="margin-top:10px;color:#63676b;font:13px/1.5 ${font}">${safe(block.note)}</div>
<img src="cid:${imageIds.qr}" alt="${safe(block.qr.alt)}" width="128" height="128" style="display:block;margin-top:14px">
</td></tr></table>`
}

function rowsHtml(rows: readonly (readonly [string, string])[]): string {
  const cell = `padding:9px 0;border-bottom:1px solid #e6e4dc;font:15px/1.4 ${font}`
  const lines = rows.map(
    ([name, value]) => `<tr><td class="faded line" style="${cell};color:#63676b;padding-right:16px">${safe(name)}</td>
<td class="ink line" align="right" style="${cell};color:#16181a;font-variant-numeric:tabular-nums">${safe(value)}</td></tr>`,
  )
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px">${lines.join('\n')}</table>`
}

function safe(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
