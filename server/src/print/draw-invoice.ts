import PDFDocument from 'pdfkit'
import { amber, faded, green, ink, mm, type Pdf, registerFonts, runsOf, write } from '../base/pdf.ts'

const margin = 20 * mm
const width = 170 * mm
const bottom = 297 * mm - margin
/** Of a line: what it is for, how many, the price of one, all of it. */
const columns = [
  { x: margin, width: 78 * mm },
  { x: margin + 80 * mm, width: 22 * mm },
  { x: margin + 104 * mm, width: 31 * mm },
  { x: margin + 137 * mm, width: 33 * mm },
] as const
const rowGap = 2.5 * mm

/** Everything that an invoice shows, as text in the merchant's language, with its days. */
export type InvoiceFacts = {
  readonly number: string
  readonly labels: Labels
  readonly state: string
  /** Shown on what is no real money. */
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
  const { number, labels, state, testMark } = facts
  const pdf = new PDFDocument({ size: 'A4', margin: 0, info: { Title: `${labels.number} ${number}` } })
  registerFonts(pdf)

  type Look = {
    readonly size?: number
    readonly color?: string
    readonly align?: 'left' | 'right'
    readonly bold?: true
  }
  const put = (text: string, x: number, y: number, wide: number, look: Look = {}): void => {
    const { size = 10, color = ink, align = 'left', bold } = look
    write(pdf, runsOf(pdf, text, bold ? 'semibold' : 'regular', '?'), { size, x, y, width: wide, color, align })
  }
  put(`${labels.number} ${number}`, margin, margin, width / 2, { size: 20, bold: true })
  put(state, margin + width / 2, margin + 2.5 * mm, width / 2, { color: green, align: 'right' })
  if (testMark !== undefined) put(testMark, margin, margin + 9 * mm, width, { color: amber, bold: true })
  const half = width / 2 - 5 * mm
  const blocks = [
    [labels.from, facts.from],
    [labels.to, [facts.to]],
    [labels.date, [facts.date]],
    [labels.due, [facts.due]],
  ] as const
  for (const [i, [label, lines]] of blocks.entries()) {
    const [x, y] = [margin + (i % 2) * (width / 2), margin + (20 + Math.floor(i / 2) * 20) * mm]
    put(label, x, y, half, { size: 8.5, color: faded })
    for (const [row, line] of lines.entries()) put(line, x, y + (5 + row * 5) * mm, half)
  }

  const drawHead = (y: number): number => {
    for (const [i, label] of [labels.description, labels.quantity, labels.unitPrice, labels.total].entries()) {
      const { x, width: wide } = columns[i as 0]
      put(label, x, y, wide, { size: 8.5, color: faded, align: i === 0 ? 'left' : 'right' })
    }
    rule(pdf, y + 5 * mm)
    return y + 5 * mm + rowGap
  }
  let y = drawHead(margin + 66 * mm)
  for (const { description, quantity, unitPrice, total } of facts.items) {
    const [what, ...figures] = columns
    const high = pdf.font('regular latin').fontSize(10).heightOfString(description, { width: what.width })
    if (y + high > bottom) {
      pdf.addPage()
      y = drawHead(margin)
    }
    pdf.fillColor(ink)
    const runs = runsOf(pdf, description, 'regular', '?')
    for (const [i, { text, font }] of runs.entries()) {
      const form = { width: what.width, continued: i < runs.length - 1 }
      pdf.font(font).fontSize(10)
      if (i === 0) pdf.text(text, what.x, y, form)
      else pdf.text(text, form)
    }
    const end = pdf.y
    for (const [i, text] of [quantity, unitPrice, total].entries()) {
      const { x, width: wide } = figures[i as 0]
      put(text, x, y, wide, { align: 'right' })
    }
    y = end + rowGap
    rule(pdf, y)
    y += rowGap
  }
  if (y + 12 * mm > bottom) {
    pdf.addPage()
    y = margin
  }
  put(labels.total, margin, y + 2 * mm, 40 * mm, { bold: true, size: 12 })
  put(facts.total, margin + 60 * mm, y + 2 * mm, 110 * mm, { bold: true, size: 12, align: 'right' })
  pdf.end()
  return pdf
}

function rule(pdf: Pdf, y: number): void {
  pdf
    .moveTo(margin, y)
    .lineTo(margin + width, y)
    .lineWidth(0.4)
    .stroke(faded)
}
