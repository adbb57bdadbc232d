/** An email. HTML and plain text are made of the same blocks, so both have the same content. */
export type Letter = {
  readonly subject: string
  /** Shown by email programs beside the subject. */
  readonly preview: string
  readonly from: string
  readonly blocks: readonly Block[]
  readonly isTest: boolean
  readonly testNote: string
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

// Tables and inline styles, because email programs support little else. Dark colours where the program supports them.
const dark = `
  @media (prefers-color-scheme: dark) {
    .page { background: #141614 !important } .sheet { background: #1d201e !important; border-color: #343a36 !important }
    .ink { color: #eceeea !important } .faded { color: #a5aca6 !important } .green { color: #7fd1a8 !important }
    .line { border-color: #343a36 !important } .button { background: #7fd1a8 !important; color: #10221a !important }
    .ticket { background: #222723 !important; border-color: #4a534d !important }
  }`

export function toHtml(letter: Letter): string {
  const { subject, preview, blocks, isTest, testNote, from } = letter
  const band = isTest
    ? `<tr><td style="background:#f5c451;color:#3a2a00;padding:8px 24px;font:600 13px ${font}">${safe(testNote)}</td></tr>`
    : ''
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${safe(subject)}</title><style>${dark}</style></head>
<body class="page" style="margin:0;padding:0;background:#f6f5f0">
<div style="display:none;max-height:0;overflow:hidden">${safe(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0"
  style="max-width:520px;background:#ffffff;border:1px solid #dddbd2;border-radius:4px">
${band}<tr><td style="padding:28px 24px 8px">
${blocks.map(blockHtml).join('\n')}
</td></tr>
<tr><td class="faded line" style="padding:16px 24px;border-top:1px solid #e6e4dc;color:#63676b;font:13px/1.5 ${font}">${safe(from)}</td></tr>
</table></td></tr></table></body></html>`
}

const texts = {
  title: { tag: 'h1', ink: 'ink', style: `color:#16181a;font:600 22px/1.3 ${font}` },
  text: { tag: 'p', ink: 'ink', style: `color:#16181a;font:16px/1.5 ${font}` },
  small: { tag: 'p', ink: 'faded', style: `color:#63676b;font:13px/1.5 ${font}` },
}

function blockHtml(block: Block): string {
  if (block.is === 'rows') return rowsHtml(block.rows)
  if (block.is === 'ticket') return ticketHtml(block)
  if (block.is === 'button')
    return `<p style="margin:0 0 20px"><a class="button" href="${safe(block.url)}" style="display:inline-block;background:#0f4c3a;color:#ffffff;padding:12px 20px;border-radius:4px;font:600 16px ${font};text-decoration:none">${safe(block.label)}</a></p>`
  const { tag, ink, style } = texts[block.is]
  return `<${tag} class="${ink}" style="margin:0 0 16px;${style}">${safe(block.text)}</${tag}>`
}

function ticketHtml(block: Extract<Block, { is: 'ticket' }>): string {
  return `<table role="presentation" class="ticket" width="100%" cellpadding="0" cellspacing="0"
  style="margin:0 0 20px;background:#fbfaf5;border:1px dashed #8b8f8a;border-radius:6px"><tr><td style="padding:20px">
<div class="ink" style="color:#16181a;font:600 15px ${font}">${safe(block.shop)}</div>
<div class="green" style="margin:6px 0 14px;color:#0f4c3a;font:600 32px/1.2 ${font};font-variant-numeric:tabular-nums">${safe(block.amount)}</div>
<div class="ink" style="color:#16181a;font:600 18px/1.4 ${mono};letter-spacing:0.04em">${safe(block.code)}</div>
<div class="faded" style="margin-top:10px;color:#63676b;font:13px/1.5 ${font}">${safe(block.note)}</div>
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
