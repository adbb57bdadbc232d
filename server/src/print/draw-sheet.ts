import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import { amber, faded, green, ink, mm, type Pdf, registerFonts, type Run, runsOf, write } from '../base/pdf.ts'

const page = { width: 210 * mm, height: 297 * mm }
const ticket = { width: 92 * mm, height: 52 * mm }
const grid = { columns: 2, rows: 5, gap: 2 * mm }
// Where the stub with the QR code is torn off.
const tear = 54 * mm
const qrSize = 30 * mm

/** A voucher as it is printed. */
type Ticket = {
  readonly number: number
  readonly code: string
  readonly amount: string
  /** The last day of it; empty if there is none. */
  readonly lastDay: string
  readonly link: string
}

export type SheetFacts = {
  readonly issuer: { readonly name: string; readonly code: string }
  readonly currency: string
  readonly isTest: boolean
  readonly tickets: readonly Ticket[]
}

/** The vouchers of a batch to print and cut, ten to a page. */
export function drawSheet({ tickets, currency, issuer, isTest }: SheetFacts): Pdf {
  const info = { Title: `Vouchers of ${issuer.name}` }
  const pdf = new PDFDocument({ size: 'A4', margin: 0, info, autoFirstPage: false })
  registerFonts(pdf)
  // A name in letters that we cannot print stands as the merchant's code.
  const name = runsOf(pdf, issuer.name, 'semibold') ?? [{ text: issuer.code, font: 'semibold latin' }]
  const shown = { issuer: name, currency, isTest }
  const perPage = grid.columns * grid.rows
  const left = (page.width - grid.columns * ticket.width - grid.gap) / 2
  const top = (page.height - grid.rows * ticket.height - (grid.rows - 1) * grid.gap) / 2
  for (let first = 0; first < tickets.length; first += perPage) {
    pdf.addPage()
    for (const [i, voucher] of tickets.slice(first, first + perPage).entries()) {
      const x = left + (i % grid.columns) * (ticket.width + grid.gap)
      const y = top + Math.floor(i / grid.columns) * (ticket.height + grid.gap)
      pdf.save().translate(x, y)
      drawTicket(pdf, voucher, shown)
      pdf.restore()
    }
  }
  pdf.end()
  return pdf
}

type Shown = { readonly issuer: readonly Run[]; readonly currency: string; readonly isTest: boolean }

function drawTicket(pdf: Pdf, voucher: Ticket, { issuer, currency, isTest }: Shown): void {
  const { width, height } = ticket
  const notch = 2 * mm
  // The outline, with a bite out of it at both ends of the tear.
  pdf
    .path(
      `M0 0 H${tear - notch} A${notch} ${notch} 0 0 0 ${tear + notch} 0 H${width} V${height} H${tear + notch} ` +
        `A${notch} ${notch} 0 0 0 ${tear - notch} ${height} H0 Z`,
    )
    .lineWidth(0.6)
    .stroke(faded)
  pdf.save().dash(1.2, { space: 2.2 })
  pdf
    .moveTo(tear, notch + 2)
    .lineTo(tear, height - notch - 2)
    .lineWidth(0.8)
    .stroke(faded)
  pdf.restore()

  const inset = 5 * mm
  const main = { x: inset, width: tear - 2 * inset }
  write(pdf, issuer, { ...main, size: 10, y: inset, color: ink })
  const amountSize = voucher.amount.length > 9 ? 15 : 24
  const amount = [{ text: voucher.amount, font: 'semibold latin' }]
  write(pdf, amount, { ...main, size: amountSize, y: inset + 11 * mm, color: green })
  write(pdf, plain(currency), { ...main, size: 9, y: inset + 21 * mm, color: faded })
  const until = voucher.lastDay === '' ? '' : `Until ${voucher.lastDay}`
  write(pdf, plain(until), { ...main, size: 7.5, y: inset + 27 * mm, color: faded })
  const code = [{ text: voucher.code, font: 'mono' }]
  write(pdf, code, { ...main, size: 10, y: height - inset - 3.5 * mm, color: ink })

  drawQrCode(pdf, voucher.link, tear + (width - tear - qrSize) / 2, inset)
  const stub = { x: tear, width: width - tear, size: 6.5, color: faded, align: 'centre' } as const
  write(pdf, plain('Scan to see what is left'), { ...stub, y: inset + qrSize + 2.5 * mm })
  const label = isTest ? 'TEST, no value' : `No. ${voucher.number}`
  write(pdf, plain(label), { ...stub, y: height - inset - 2 * mm, ...(isTest && { color: amber }) })
}

function plain(text: string): Run[] {
  return [{ text, font: 'regular latin' }]
}

/** Dark on white, whatever the paper: each row's dark stretches as one rectangle. */
function drawQrCode(pdf: Pdf, text: string, x: number, y: number): void {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const unit = qrSize / size
  for (const [row, cells] of data.entries())
    for (let start = 0; start < size; start++) {
      if (cells[start] !== true) continue
      let end = start + 1
      while (end < size && cells[end] === true) end++
      pdf.rect(x + start * unit, y + row * unit, (end - start) * unit, unit)
      start = end
    }
  pdf.fill('#000000')
}
