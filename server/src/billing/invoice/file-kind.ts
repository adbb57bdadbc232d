import { cleanLine } from './clean-text.ts'
import { fileNameMax } from './limits.ts'

/** The kinds of files that an invoice may have, each with its media type and the endings of its names. */
const kinds = {
  pdf: { type: 'application/pdf', endings: ['.pdf'] },
  png: { type: 'image/png', endings: ['.png'] },
  jpeg: { type: 'image/jpeg', endings: ['.jpg', '.jpeg'] },
} as const
export const fileKinds = ['pdf', 'png', 'jpeg'] as const
export const mediaTypes = ['application/pdf', 'image/png', 'image/jpeg'] as const
export type FileKind = (typeof fileKinds)[number]

export function mediaTypeOf(kind: FileKind): (typeof mediaTypes)[number] {
  return kinds[kind].type
}

/** A PNG file begins with its signature and the length and the name of its first chunk. */
const pngStart = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
const pdfStart = [0x25, 0x50, 0x44, 0x46, 0x2d]
const jpegStart = [0xff, 0xd8, 0xff]

/** The kind of a file by its first bytes. Its name and its declared type say nothing: the sender chooses them. */
export function recogniseFile(bytes: Uint8Array): FileKind | undefined {
  const begins = (start: readonly number[]): boolean => start.every((byte, i) => bytes[i] === byte)
  if (begins(pdfStart)) return 'pdf'
  if (begins(pngStart)) return 'png'
  return begins(jpegStart) ? 'jpeg' : undefined
}

/**
 * A name to save the file under: no folders, no hidden characters, and an ending that fits its kind. A name such as
 * `invoice.html` for a PDF would open it as a page.
 */
export function cleanFileName(name: string, kind: FileKind): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const text = cleanLine(last).replaceAll(/^[. ]+|[. ]+$/g, '')
  const { endings } = kinds[kind]
  const ending = endings.find((each) => text.toLowerCase().endsWith(each))
  const stem = ending === undefined ? text : text.slice(0, -ending.length)
  const shown = ending === undefined ? endings[0] : text.slice(-ending.length)
  // By characters, so that none is cut in half.
  const short = Array.from(stem)
    .slice(0, fileNameMax - shown.length)
    .join('')
  return `${short === '' ? 'attachment' : short}${shown}`
}
