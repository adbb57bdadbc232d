import PDFDocument from 'pdfkit'
import { encode } from 'uqr'
import { amber, faded, ink, mm, type Pdf, registerFonts, type Run, runsOf, write } from '../base/pdf.ts'
import { writeAmount } from '../base/write-amount.ts'
import { accentOnPaper, drawLogo, type Logo, openLogo } from './brand.ts'

const page = { width: 210 * mm, height: 297 * mm }
const ticket = { width: 92 * mm, height: 52 * mm }
const grid = { columns: 2, rows: 5, gap: 2 * mm }
// The tear line between the ticket and the stub with the QR code.
const tear = 54 * mm
const qrSize = 30 * mm
const inset = 5 * mm
const logoBox = { width: 18 * mm, height: 9 * mm }

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
  readonly issuer: {
    readonly name: string
    readonly code: string
    readonly accent: string
    /** The postal address and the tax number, in lines. */
    readonly imprint: readonly string[]
    readonly logo: Uint8Array | undefined
  }
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
  const { imprint, accent } = issuer
  const logo = issuer.logo && openLogo(pdf, issuer.logo)
  const shown = { issuer: name, currency, isTest, imprint, logo, accent: accentOnPaper(accent) }
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

type Shown = {
  readonly issuer: readonly Run[]
  readonly currency: string
  readonly isTest: boolean
  readonly imprint: readonly string[]
  readonly logo: Logo | undefined
  readonly accent: string
}

function drawTicket(pdf: Pdf, voucher: Ticket, shown: Shown): void {
  drawOutline(pdf)
  const main = { x: inset, width: tear - 2 * inset }
  drawIssuer(pdf, shown, main)
  drawValue(pdf, voucher, shown, main)
  if (voucher.vault === '') drawImprint(pdf, shown, main)
  else drawPlace(pdf, voucher, main)
  const voucherCode = [{ text: voucher.code, font: 'mono' }]
  write(pdf, voucherCode, { ...main, size: 10, y: ticket.height - inset - 3.5 * mm, color: ink })
  drawStub(pdf, voucher, shown)
}

/** The outline, with a notch at both ends of the tear line. */
function drawOutline(pdf: Pdf): void {
  const { width, height } = ticket
  const notch = 2 * mm
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
}

type Column = { readonly x: number; readonly width: number }

/** The name, with the logo at its right. */
function drawIssuer(pdf: Pdf, { issuer, logo }: Shown, main: Column): void {
  const nameWidth = logo === undefined ? main.width : main.width - logoBox.width - 2 * mm
  write(pdf, issuer, { x: main.x, width: nameWidth, size: 10, y: inset, color: ink })
  if (logo !== undefined)
    drawLogo(pdf, logo, { x: main.x + main.width - logoBox.width, y: inset - 1 * mm, ...logoBox, align: 'right' })
}

function drawValue(pdf: Pdf, voucher: Ticket, { currency, accent }: Shown, main: Column): void {
  const written = writeAmount('en', { amount: voucher.amount, currency })
  const amount = runsOf(pdf, written, 'semibold', '?')
  write(pdf, amount, { ...main, size: written.length > 9 ? 15 : 24, y: inset + 11 * mm, color: accent })
  // The code under a symbol tells dollars apart.
  const code = written.includes(currency) ? '' : currency
  write(pdf, plain(code), { ...main, size: 9, y: inset + 21 * mm, color: faded })
  const until = voucher.lastDay === '' ? '' : `Valid until ${voucher.lastDay}`
  write(pdf, plain(until), { ...main, size: 7.5, y: inset + 27 * mm, color: faded })
}

/** The QR code, and the number of the voucher in its batch. */
function drawStub(pdf: Pdf, { link, number }: Ticket, { isTest }: Shown): void {
  const { width, height } = ticket
  drawQrCode(pdf, link, tear + (width - tear - qrSize) / 2, inset)
  const stub = { x: tear, width: width - tear, size: 6.5, color: faded, align: 'centre' } as const
  write(pdf, plain('Scan to check the balance'), { ...stub, y: inset + qrSize + 2.5 * mm })
  const label = isTest ? 'TEST, no value' : `No. ${number}`
  write(pdf, plain(label), { ...stub, y: height - inset - 2 * mm, ...(isTest && { color: amber }) })
}

/** The address of the shop in three lines, where an onchain voucher has that of its vault. */
function drawImprint(pdf: Pdf, { imprint }: Shown, main: Column): void {
  const perLine = Math.ceil(imprint.length / 3)
  for (const [row, y] of [35.6, 38, 40.3].entries()) {
    const text = imprint.slice(row * perLine, (row + 1) * perLine).join(', ')
    write(pdf, runsOf(pdf, text, 'regular', '?'), { ...main, size: 6, color: faded, y: y * mm })
  }
}

/** The address in two lines: in one, its digits would be too small to type. */
function drawPlace(pdf: Pdf, { network, vault }: Ticket, main: Column): void {
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
