import { accentInk, parseAccent } from '../base/accent.ts'
import { green, type Pdf } from '../base/pdf.ts'

/** A logo that is in a document once, however often it is drawn. */
export type Logo = Parameters<Pdf['image']>[0]

type Place = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly align?: 'right'
}

export function openLogo(pdf: Pdf, { buffer, byteOffset, length }: Uint8Array): Logo {
  // pdfkit's types lack this function.
  const { openImage } = pdf as unknown as { openImage: (file: Buffer) => Logo }
  return openImage.call(pdf, Buffer.from(buffer as ArrayBuffer, byteOffset, length))
}

/** Draws a logo as large as its place allows. */
export function drawLogo(pdf: Pdf, logo: Logo, { x, y, width, height, align }: Place): void {
  pdf.image(logo, x, y, { fit: [width, height], ...(align !== undefined && { align }) })
}

/** The colour of emphasized text on paper: the shop's, or ours. */
export function accentOnPaper(accent: string): string {
  const colour = parseAccent(accent)
  return colour === undefined ? green : accentInk(colour, 'light')
}
