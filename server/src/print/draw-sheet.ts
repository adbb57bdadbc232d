import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import { amber, faded, green, ink, mm, type Pdf, registerFonts, type Run, runsOf, write } from '../base/pdf.ts'
import { writeAmount } from '../base/write-amount.ts'

const page = { width: 210 * mm, height: 297 * mm }
const ticket = { width: 92 * mm, height: 52 * mm }
const grid = { columns: 2, rows: 5, gap: 2 * mm }
// The tear line between the ticket and the stub with the QR code.
const tear = 54 * mm
const qrSize = 30 * mm

/** A voucher to print. */
type Ticket = {
  readonly number: number
  readonly code: string
  readonly amount: string
  /** The last day on which it is valid, or empty. */
  readonly lastDay: string
  readonly link: string
  /** Where an onchain voucher is; empty for others. */
  readonly network: string
  readonly vault: string
}

export type SheetFacts = {
  readonly issuer: { readonly name: string; readonly code: string }
  readonly currency: string
  readonly isTest: boolean
  readonly tickets: readonly Ticket[]
}

/** Draws vouchers of a batch for printing and cutting, ten per page. */
export function drawSheet({ tickets, currency, issuer, isTest }: SheetFacts): Pdf {
  const info = { Title: `Vouchers of ${issuer.name}` }
  const pdf = new PDFDocument({ size: 'A4', margin: 0, info, autoFirstPage: false })
  registerFonts(pdf)
  // If a font lacks a letter of the name, print the merchant's code instead.
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
  // The outline, with a notch at both ends of the tear line.
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
  const written = writeAmount('en', { amount: voucher.amount, currency })
  const amount = runsOf(pdf, written, 'semibold', '?')
  write(pdf, amount, { ...main, size: written.length > 9 ? 15 : 24, y: inset + 11 * mm, color: green })
  // The code under a symbol tells dollars apart.
  const code = written.includes(currency) ? '' : currency
  write(pdf, plain(code), { ...main, size: 9, y: inset + 21 * mm, color: faded })
  const until = voucher.lastDay === '' ? '' : `Valid until ${voucher.lastDay}`
  write(pdf, plain(until), { ...main, size: 7.5, y: inset + 27 * mm, color: faded })
  drawPlace(pdf, voucher, main)
  const voucherCode = [{ text: voucher.code, font: 'mono' }]
  write(pdf, voucherCode, { ...main, size: 10, y: height - inset - 3.5 * mm, color: ink })

  drawQrCode(pdf, voucher.link, tear + (width - tear - qrSize) / 2, inset)
  const stub = { x: tear, width: width - tear, size: 6.5, color: faded, align: 'centre' } as const
  write(pdf, plain('Scan to check the balance'), { ...stub, y: inset + qrSize + 2.5 * mm })
  const label = isTest ? 'TEST, no value' : `No. ${voucher.number}`
  write(pdf, plain(label), { ...stub, y: height - inset - 2 * mm, ...(isTest && { color: amber }) })
}

/** The address in two lines: in one, its digits would be too small to type. */
function drawPlace(pdf: Pdf, { network, vault }: Ticket, main: { readonly x: number; readonly width: number }): void {
  if (vault === '') return
  const line = { ...main, size: 6, color: faded }
  write(pdf, runsOf(pdf, network, 'regular', '?'), { ...line, y: 35.6 * mm })
  write(pdf, [{ text: vault.slice(0, 21), font: 'mono' }], { ...line, y: 38 * mm })
  write(pdf, [{ text: vault.slice(21), font: 'mono' }], { ...line, y: 40.3 * mm })
}

function plain(text: string): Run[] {
  return [{ text, font: 'regular latin' }]
}

/** Draws a QR code in black: each run of dark modules in a row is one rectangle. */
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
