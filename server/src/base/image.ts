import type sharp from 'sharp'
import { ScripError } from './errors.ts'
import { checkImageForm, refuseImage } from './image-form.ts'

type Sharp = typeof sharp
export type Box = { readonly width: number; readonly height: number }

// A phone's photo has 12 million pixels. Four bytes each, so the largest image takes 64 MB while it is decoded.
const pixelsMax = 4096 * 4096
const timeoutSeconds = 10

/** Decodes a PNG or JPEG and encodes it as PNG, within each of the boxes. Only pixels pass: no metadata, profiles or other chunks. */
export async function recodeImage(bytes: Buffer, boxes: readonly Box[]): Promise<Buffer[]> {
  checkImageForm(bytes)
  const open = await loadSharp()
  try {
    // Without the limit, because reading the header of a large image must not count as a failure to decode it.
    const { width, height, pages = 1 } = await open(bytes, { limitInputPixels: false }).metadata()
    if (width * height > pixelsMax) throw refuseImage('IMAGE_TOO_LARGE')
    if (pages > 1) throw refuseImage('IMAGE_ANIMATED')
    // One decoding for all sizes. The first is the largest.
    let source = bytes
    const encoded: Buffer[] = []
    for (const box of boxes) {
      source = await fitInside(open, source, box)
      encoded.push(source)
    }
    return encoded
  } catch (error) {
    throw error instanceof ScripError ? error : refuseImage('IMAGE_BROKEN', error)
  }
}

function fitInside(open: Sharp, bytes: Buffer, { width, height }: Box): Promise<Buffer> {
  return (
    open(bytes, { limitInputPixels: pixelsMax, failOn: 'error' })
      // As the camera held it: the EXIF data that says so is dropped.
      .autoOrient()
      .resize({ width, height, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .timeout({ seconds: timeoutSeconds })
      .png({ compressionLevel: 9 })
      .toBuffer()
  )
}

/** A bilevel PNG of rows of pixels, true for black, with each pixel drawn as a square of `scale`. */
export async function drawPixels(rows: readonly (readonly boolean[])[], scale: number): Promise<Buffer> {
  const open = await loadSharp()
  const [width, height] = [rows[0]?.length ?? 0, rows.length]
  const pixels = Buffer.from(rows.flatMap((row) => row.map((isBlack) => (isBlack ? 0 : 255))))
  return open(pixels, { raw: { width, height, channels: 1 } })
    .resize({ width: width * scale, height: height * scale, kernel: 'nearest' })
    .toColourspace('b-w')
    .png({ compressionLevel: 9 })
    .toBuffer()
}

let loaded: Promise<Sharp> | undefined

/** Loaded with the first image, because most processes never see one and the library takes 20 MB. */
function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: open }) => {
    // A logo is small: one thread each, so that images do not take the processor from payments.
    open.concurrency(1)
    open.cache(false)
    // The other decoders of the library, such as those of SVG and PDF, cannot be reached at all.
    open.block({ operation: ['VipsForeignLoad'] })
    open.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer'] })
    return open
  })
  return loaded
}
