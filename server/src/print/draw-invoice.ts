import PDFDocument from 'pdfkit'
import { amber, faded, green, ink, mm, type Pdf, registerFonts, runsOf, write } from '../base/pdf.ts'

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

/** All texts on an invoice, in the merchant's language, with dates in its time zone. */
export type InvoiceFacts = {
  readonly number: string
  readonly labels: Labels
  readonly state: string
  /** Shown in test mode. */
  readonly testMark: string | undefined
  readonly from: readonly string[]
  readonly to: string
  readonly date: string
  readonly due: string
  readonly items: readonly InvoiceLine[]
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
  readonly description: string
  readonly quantity: string
  readonly unitPrice: string
  readonly total: string
}

export function drawInvoice(facts: InvoiceFacts): Pdf {
  const { number, labels } = facts
  const pdf = new PDFDocument({ size: 'A4', margin: 0, info: { Title: `${labels.number} ${number}` } })
  registerFonts(pdf)
  drawHeading(pdf, facts)
  drawParties(pdf, facts)
  let y = drawTableHead(pdf, labels, margin + 66 * mm)
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

function drawHeading(pdf: Pdf, { number, labels, state, testMark }: InvoiceFacts): void {
  put(pdf, `${labels.number} ${number}`, margin, margin, width / 2, { size: 20, bold: true })
  put(pdf, state, margin + width / 2, margin + 2.5 * mm, width / 2, { color: green, align: 'right' })
  if (testMark !== undefined) put(pdf, testMark, margin, margin + 9 * mm, width, { color: amber, bold: true })
}

/** Sender, recipient, date and due date, in two columns. */
function drawParties(pdf: Pdf, { labels, from, to, date, due }: InvoiceFacts): void {
  const half = width / 2 - 5 * mm
  const blocks = [
    [labels.from, from],
    [labels.to, [to]],
    [labels.date, [date]],
    [labels.due, [due]],
  ] as const
  for (const [i, [label, lines]] of blocks.entries()) {
    const x = margin + (i % 2) * (width / 2)
    const y = margin + (20 + Math.floor(i / 2) * 20) * mm
    put(pdf, label, x, y, half, { size: 8.5, color: faded })
    for (const [row, line] of lines.entries()) put(pdf, line, x, y + (5 + row * 5) * mm, half)
  }
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

function drawTotal(pdf: Pdf, { labels, total }: InvoiceFacts, from: number): void {
  let y = from
  if (y + 12 * mm > bottom) {
    pdf.addPage()
    y = margin
  }
  put(pdf, labels.total, margin, y + 2 * mm, 40 * mm, { bold: true, size: 12 })
  put(pdf, total, margin + 60 * mm, y + 2 * mm, 110 * mm, { bold: true, size: 12, align: 'right' })
}

function rule(pdf: Pdf, y: number): void {
  pdf
    .moveTo(margin, y)
    .lineTo(margin + width, y)
    .lineWidth(0.4)
    .stroke(faded)
}
