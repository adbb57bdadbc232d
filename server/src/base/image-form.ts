import { defineErrors, type ScripError, tooMany, unacceptable } from './errors.ts'

export const imageError = defineErrors({
  IMAGE_FORMAT_UNKNOWN: unacceptable('Send a PNG or JPEG image.'),
  IMAGE_ANIMATED: unacceptable('The image is animated. Send one that is not.'),
  IMAGE_BROKEN: unacceptable('The image is damaged or incomplete, or other data follows it. Save it again and retry.'),
  IMAGE_TOO_LARGE: unacceptable('The image is too large. Send at most 1 MB and 4096 × 4096 pixels.'),
  IMAGE_BUSY: tooMany('Other images are being processed. Try again in a few seconds.'),
})

/** Names the field that every endpoint takes an image in. */
export function refuseImage(code: Parameters<typeof imageError>[0], cause?: unknown): ScripError {
  return imageError(code, { param: 'image' }, cause)
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
const jpegStart = Buffer.from('ffd8ff', 'hex')
const marker = { fill: 0xff, restartFirst: 0xd0, restartLast: 0xd7, end: 0xd9, scan: 0xda }

/**
 * Refuses everything but one still PNG or JPEG, by its bytes and not by its name, before a decoder sees it. Nothing may follow the
 * image: a file that is an image and an archive at once is no logo.
 */
export function checkImageForm(bytes: Buffer): void {
  const startsWith = (start: Buffer): boolean => bytes.subarray(0, start.length).equals(start)
  if (startsWith(pngSignature)) checkPng(bytes)
  else if (startsWith(jpegStart)) checkJpeg(bytes)
  else throw refuseImage('IMAGE_FORMAT_UNKNOWN')
}

/** A PNG is a list of chunks: length, type, data, checksum. */
function checkPng(bytes: Buffer): void {
  let at = pngSignature.length
  while (at + 12 <= bytes.length) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (type === 'acTL') throw refuseImage('IMAGE_ANIMATED')
    at += 12 + bytes.readUInt32BE(at)
    if (type !== 'IEND') continue
    if (at === bytes.length) return
    break
  }
  throw refuseImage('IMAGE_BROKEN')
}

/** A JPEG is a list of segments: marker, length, data. The pixels follow the header of a scan, up to the next marker. */
function checkJpeg(bytes: Buffer): void {
  let at = 2
  while (at + 2 <= bytes.length && bytes[at] === marker.fill) {
    const kind = bytes[at + 1]
    if (kind === marker.end && at + 2 === bytes.length) return
    if (kind === marker.end || at + 4 > bytes.length) break
    if (kind === marker.fill) at++
    else at += 2 + bytes.readUInt16BE(at + 2)
    if (kind === marker.scan) at = endOfScan(bytes, at)
  }
  throw refuseImage('IMAGE_BROKEN')
}

/** Where the next marker begins. In a scan 0xff is a pixel if 0 follows it, and restarts do not end it. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(marker.fill, from)
  while (at >= 0) {
    const next = bytes[at + 1] ?? marker.end
    const isRestart = next >= marker.restartFirst && next <= marker.restartLast
    if (next !== 0 && next !== marker.fill && !isRestart) return at
    at = bytes.indexOf(marker.fill, at + 1)
  }
  return bytes.length
}
