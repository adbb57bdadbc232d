// Images for tests: what a shop would upload, and what an attacker would.
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

type Size = { readonly width: number; readonly height: number }

/** A picture with four channels, a gradient and a transparent corner. */
export function picture({ width, height }: Size = { width: 300, height: 100 }): Sharp {
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set([x % 256, y % 256, 90, x < 10 && y < 10 ? 0 : 255], (y * width + x) * 4)
  return sharp(pixels, { raw: { width, height, channels: 4 } })
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** One chunk of a PNG. */
function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** The same PNG with another chunk after its header. */
export function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  // The signature, and the header of 25 bytes.
  return Buffer.concat([png.subarray(0, 33), pngChunk(type, data), png.subarray(33)])
}

/** The types of the chunks of a PNG. */
export function chunksOf(png: Buffer): string[] {
  const types: string[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at))
    types.push(png.toString('latin1', at + 4, at + 8))
  return types
}

/** A PNG of one colour: a few kilobytes that take megabytes to decode. */
export function bomb({ width, height }: Size): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // One bit for each pixel, grey.
  header.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 9 })
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))])
}

export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
