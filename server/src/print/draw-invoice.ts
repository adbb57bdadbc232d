import PDFDocument from 'pdfkit'
import { amber, faded, ink, mm, type Pdf, registerFonts, runsOf, write } from '../base/pdf.ts'
import { accentOnPaper, drawLogo, openLogo } from './brand.ts'

const margin = 20 * mm
const width = 170 * mm
const bottom = 297 * mm - margin
/** Columns of a line: description, quantity, unit price, total. */
const columns = [
  { x: margin, width: 78 * mm },
  { x: margin + 80 * mm, width: 22 * mm },
  { x: margin + 104 * mm, width: 31 * mm },
  { x: margin + 137 * mm, width: 33 * mm },
] as const
const rowGap = 2.5 * mm
const logoBox = { width: 50 * mm, height: 14 * mm }

/** All texts on an invoice, in the merchant's language, with dates in its time zone. */
export type InvoiceFacts = {
  readonly number: string
  readonly labels: Labels
  readonly state: string
  /** Shown in test mode. */
  readonly testMark: string | undefined
  /** The name, the address and the email address of the sender. */
  readonly from: readonly string[]
  /** The merchant: its name, address and tax number. */
  readonly to: readonly string[]
  readonly accent: string
  /** A change of it is a change of the document. Empty: there is no logo. */
  readonly logoVersion: string
  readonly date: string
  readonly due: string
  /** The sender's own number. Empty if there is none. */
  readonly senderNumber: string
  readonly items: readonly InvoiceLine[]
  /** The net amount and the taxes, each with its label. Empty without taxes. */
  readonly sums: readonly (readonly [label: string, amount: string])[]
  readonly total: string
}
type InvoiceLine = {
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
  readonly total: string
}
type Labels = {
  readonly number: string
  readonly from: string
  readonly to: string
  readonly date: string
  readonly due: string
  readonly senderNumber: string
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
  readonly total: string
}

export function drawInvoice(facts: InvoiceFacts, logo: Uint8Array | undefined): Pdf {
  const { number, labels } = facts
  const pdf = new PDFDocument({ size: 'A4', margin: 0, info: { Title: `${labels.number} ${number}` } })
  registerFonts(pdf)
  if (logo !== undefined) drawLogo(pdf, openLogo(pdf, logo), { x: margin, y: margin, ...logoBox })
  const top = logo === undefined ? margin : margin + logoBox.height + 8 * mm
  drawHeading(pdf, facts, top)
  let y = drawTableHead(pdf, labels, drawParties(pdf, facts, top + 20 * mm))
  for (const line of facts.items) y = drawLine(pdf, labels, line, y)
  drawTotal(pdf, facts, y)
  pdf.end()
  return pdf
}

type Look = {
  readonly size?: number
  readonly color?: string
  readonly align?: 'left' | 'right'
  readonly bold?: true
}

function put(pdf: Pdf, text: string, x: number, y: number, wide: number, look: Look = {}): void {
  const { size = 10, color = ink, align = 'left', bold } = look
  write(pdf, runsOf(pdf, text, bold ? 'semibold' : 'regular', '?'), { size, x, y, width: wide, color, align })
}

function drawHeading(pdf: Pdf, { number, labels, state, testMark, accent }: InvoiceFacts, y: number): void {
  put(pdf, `${labels.number} ${number}`, margin, y, width / 2, { size: 20, bold: true })
  const color = accentOnPaper(accent)
  put(pdf, state, margin + width / 2, y + 2.5 * mm, width / 2, { color, align: 'right' })
  if (testMark !== undefined) put(pdf, testMark, margin, y + 9 * mm, width, { color: amber, bold: true })
}

/** Sender, recipient, dates and the sender's number, in two columns. Returns where the table begins. */
function drawParties(pdf: Pdf, facts: InvoiceFacts, top: number): number {
  const { labels, from, to, date, due, senderNumber } = facts
  const rows = [
    [
      [labels.from, from],
      [labels.to, to],
    ],
    [
      [labels.date, [date]],
      [labels.due, [due]],
    ],
    ...(senderNumber === '' ? [] : [[[labels.senderNumber, [senderNumber]]] as const]),
  ] as const
  let y = top
  for (const blocks of rows) {
    for (const [i, [label, lines]] of blocks.entries()) drawBlock(pdf, label, lines, margin + i * (width / 2), y)
    const longest = Math.max(2, ...blocks.map(([, lines]) => lines.length))
    y += (10 + longest * 5) * mm
  }
  return y + 6 * mm
}

function drawBlock(pdf: Pdf, label: string, lines: readonly string[], x: number, y: number): void {
  const half = width / 2 - 5 * mm
  put(pdf, label, x, y, half, { size: 8.5, color: faded })
  for (const [row, line] of lines.entries()) put(pdf, line, x, y + (5 + row * 5) * mm, half)
}

/** Returns where the first line begins. */
function drawTableHead(pdf: Pdf, labels: Labels, y: number): number {
  for (const [i, label] of [labels.description, labels.quantity, labels.unitPrice, labels.total].entries()) {
    const { x, width: wide } = columns[i as 0]
    put(pdf, label, x, y, wide, { size: 8.5, color: faded, align: i === 0 ? 'left' : 'right' })
  }
  rule(pdf, y + 5 * mm)
  return y + 5 * mm + rowGap
}

/** Draws a line, on a new page if it does not fit, and returns where the next one begins. */
function drawLine(pdf: Pdf, labels: Labels, line: InvoiceLine, from: number): number {
  const { description, quantity, unitPrice, total } = line
  const [text, ...numbers] = columns
  const high = pdf.font('regular latin').fontSize(10).heightOfString(description, { width: text.width })
  let y = from
  if (y + high > bottom) {
    pdf.addPage()
    y = drawTableHead(pdf, labels, margin)
  }
  const end = drawDescription(pdf, description, text, y)
  for (const [i, value] of [quantity, unitPrice, total].entries()) {
    const { x, width: wide } = numbers[i as 0]
    put(pdf, value, x, y, wide, { align: 'right' })
  }
  rule(pdf, end + rowGap)
  return end + 2 * rowGap
}

/** Draws text that may wrap, and returns where it ends. */
function drawDescription(pdf: Pdf, description: string, column: { x: number; width: number }, y: number): number {
  pdf.fillColor(ink)
  const runs = runsOf(pdf, description, 'regular', '?')
  for (const [i, { text, font }] of runs.entries()) {
    const form = { width: column.width, continued: i < runs.length - 1 }
    pdf.font(font).fontSize(10)
    if (i === 0) pdf.text(text, column.x, y, form)
    else pdf.text(text, form)
  }
  return pdf.y
}

/** The net amount and the taxes if there are any, and the total between a single and a double rule. */
function drawTotal(pdf: Pdf, { labels, sums, total }: InvoiceFacts, from: number): void {
  let y = from
  if (y + (14 + sums.length * 6) * mm > bottom) {
    pdf.addPage()
    y = margin
  }
  for (const [label, amount] of sums) {
    put(pdf, label, margin, y, 100 * mm)
    put(pdf, amount, margin + 104 * mm, y, 66 * mm, { align: 'right' })
    y += 6 * mm
  }
  if (sums.length > 0) rule(pdf, y)
  put(pdf, labels.total, margin, y + 2 * mm, 40 * mm, { bold: true, size: 12 })
  put(pdf, total, margin + 60 * mm, y + 2 * mm, 110 * mm, { bold: true, size: 12, align: 'right' })
  rule(pdf, y + 9 * mm)
  rule(pdf, y + 9.8 * mm)
}

function rule(pdf: Pdf, y: number): void {
  pdf
    .moveTo(margin, y)
    .lineTo(margin + width, y)
    .lineWidth(0.4)
    .stroke(faded)
}
