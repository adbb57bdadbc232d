import { encode } from 'uqr'
import { drawPixels } from '../base/image.ts'
import type { Letter } from './letter.ts'

/** An image inside the email. Email programs load none from elsewhere, and a server would learn who opens it. */
type InlineImage = {
  readonly cid: string
  readonly filename: string
  readonly content: Buffer
  readonly contentType: 'image/png'
  readonly contentDisposition: 'inline'
}

/** The names by which the HTML refers to the images. */
export const imageIds = { logo: 'logo@scrip', qr: 'qr@scrip' }

const modulePx = 6
/** The quiet zone that scanners need, in modules. */
const quiet = 4

/** The images that the HTML of an email shows. */
export async function drawImages({ blocks, brand: { logo } }: Letter): Promise<InlineImage[]> {
  const [ticket] = blocks.flatMap((block) => (block.is === 'ticket' ? [block] : []))
  return [
    ...(logo === undefined ? [] : [inline(imageIds.logo, 'logo.png', logo)]),
    ...(ticket === undefined ? [] : [inline(imageIds.qr, 'voucher.png', await drawQrCode(ticket.qr.link))]),
  ]
}

function inline(cid: string, filename: string, content: Buffer): InlineImage {
  return { cid, filename, content, contentType: 'image/png', contentDisposition: 'inline' }
}

function drawQrCode(text: string): Promise<Buffer> {
  return drawPixels(encode(text, { ecc: 'M', border: quiet }).data, modulePx)
}

/** The size of a PNG of ours in an email: half of its pixels, so that it is sharp on a dense screen. */
export function shownSize(png: Buffer): { readonly width: number; readonly height: number } {
  // Its header begins with width and height.
  return { width: Math.ceil(png.readUInt32BE(16) / 2), height: Math.ceil(png.readUInt32BE(20) / 2) }
}
