import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { bomb, chunksOf, picture, svg, withChunk } from '../../local/test/images.ts'
import { drawPixels, recodeImage } from './image.ts'
import { checkImageForm } from './image-form.ts'

const box = { width: 512, height: 512 }
async function recode(bytes: Buffer): Promise<Buffer> {
  const [image] = await recodeImage(bytes, [box])
  if (image === undefined) throw new Error('There is no image.')
  return image
}
const codeOf = (bytes: Buffer): Promise<string> =>
  recode(bytes).then(
    () => 'accepted',
    (error: unknown) => (error as { code: string }).code,
  )

describe('an image', () => {
  test('is a PNG within the box afterwards, in its own proportions, and never larger than it was', async () => {
    const sizes: [number, number, number, number][] = [
      [300, 100, 300, 100],
      [1000, 500, 512, 256],
      [500, 2000, 128, 512],
      [1, 1, 1, 1],
    ]
    for (const [width, height, ...expected] of sizes)
      for (const bytes of [
        await picture({ width, height }).png().toBuffer(),
        await picture({ width, height }).jpeg().toBuffer(),
      ]) {
        const made = await recode(bytes)
        const { format, ...size } = await sharp(made).metadata()
        expect([format, size.width, size.height]).toEqual(['png', ...expected])
      }
  })

  test('is encoded for every box', async () => {
    const made = await recodeImage(await picture({ width: 600, height: 600 }).png().toBuffer(), [
      box,
      { width: 400, height: 96 },
    ])
    const sizes = await Promise.all(made.map(async (each) => (await sharp(each).metadata()).width))
    expect(sizes).toEqual([512, 96])
  })

  test('loses every chunk, profile and comment: only its pixels pass', async () => {
    const secret = Buffer.from('GPS of the owner\0<script>alert(1)</script>')
    const plain = await picture().png().withIccProfile('p3').toBuffer()
    const types = ['tEXt', 'iTXt', 'eXIf', 'prVt']
    const png = types.reduce<Buffer>((bytes, type) => withChunk(bytes, type, secret), plain)
    const jpeg = await picture()
      .jpeg()
      .withExif({ IFD0: { Copyright: 'GPS of the owner' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">GPS of the owner</x:xmpmeta>')
      .withIccProfile('p3')
      .toBuffer()
    for (const bytes of [png, jpeg]) {
      expect(bytes.includes('GPS of the owner')).toBe(true)
      const made = await recode(bytes)
      expect(made.includes('GPS')).toBe(false)
      expect(made.includes('script')).toBe(false)
      const left = new Set(chunksOf(made))
      expect([...left].filter((type) => !['IHDR', 'PLTE', 'tRNS', 'pHYs', 'IDAT', 'IEND'].includes(type))).toEqual([])
    }
  })

  test('is turned as its camera was held', async () => {
    const jpeg = await picture({ width: 200, height: 100 }).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const { width, height } = await sharp(await recode(jpeg)).metadata()
    expect([width, height]).toEqual([100, 200])
  })

  test('keeps its transparency, and is 8 bits deep', async () => {
    const deep = await picture().toColourspace('rgb16').png().toBuffer()
    const { hasAlpha, depth } = await sharp(await recode(deep)).metadata()
    expect([hasAlpha, depth]).toEqual([true, 'uchar'])
  })
})

describe('refused is', () => {
  test('every other format, whatever its name would be', async () => {
    const gif = await picture().gif().toBuffer()
    const webp = await picture().webp().toBuffer()
    const tiff = await picture().tiff().toBuffer()
    const others = [gif, webp, tiff, svg, Buffer.from('<!doctype html>'), Buffer.from('%PDF-1.7'), Buffer.alloc(0)]
    for (const bytes of others) expect(await codeOf(bytes)).toBe('IMAGE_FORMAT_UNKNOWN')
    // The library itself would read these, and no longer can.
    for (const bytes of [gif, webp, tiff, svg]) await expect(sharp(bytes).metadata()).rejects.toThrow()
  })

  test('an animated PNG', async () => {
    const png = await picture().png().toBuffer()
    expect(await codeOf(withChunk(png, 'acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])))).toBe('IMAGE_ANIMATED')
  })

  test('an image that is also something else: an archive, a page or a second image follows it', async () => {
    for (const bytes of [await picture().png().toBuffer(), await picture().jpeg().toBuffer()]) {
      expect(await codeOf(bytes)).toBe('accepted')
      for (const rest of [
        Buffer.from('PK\u0003\u0004'),
        Buffer.from('<script>alert(1)</script>'),
        bytes,
        Buffer.alloc(1),
      ])
        expect(await codeOf(Buffer.concat([bytes, rest]))).toBe('IMAGE_BROKEN')
    }
  })

  test('one with too many pixels, before they are decoded', async () => {
    const bytes = bomb({ width: 20_000, height: 20_000 })
    expect(bytes.length).toBeLessThan(200_000)
    const startedAt = performance.now()
    expect(await codeOf(bytes)).toBe('IMAGE_TOO_LARGE')
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    const header = Buffer.from(bytes)
    // A width that the data does not have.
    header.writeUInt32BE(0x7fffffff, 16)
    expect(await codeOf(header)).toMatch(/^IMAGE_(TOO_LARGE|BROKEN)$/)
    expect(await codeOf(bomb({ width: 4096, height: 4096 }))).toBe('accepted')
  })

  test('a file that was cut off or changed, wherever that is', async () => {
    for (const bytes of [await picture().png().toBuffer(), await picture().jpeg({ progressive: true }).toBuffer()]) {
      for (let length = 0; length < bytes.length; length += 97)
        expect(await codeOf(bytes.subarray(0, length)), `${length} bytes`).toMatch(/^IMAGE_(BROKEN|FORMAT_UNKNOWN)$/)
    }
    const png = await picture().png().toBuffer()
    png.writeUInt8(png.readUInt8(png.length - 30) ^ 0xff, png.length - 30)
    expect(await codeOf(png)).toBe('IMAGE_BROKEN')
  })

  test('a format by its first bytes only: an SVG behind the signature of a PNG or JPEG', async () => {
    expect(await codeOf(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), svg]))).toBe('IMAGE_BROKEN')
    expect(await codeOf(Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), svg]))).toBe('IMAGE_BROKEN')
  })
})

test('the check of the form ends for all bytes, with nothing but its own errors', () => {
  const start = fc.constantFrom('', '89504e470d0a1a0a', 'ffd8ff', 'ffd8ffda0002').map((hex) => Buffer.from(hex, 'hex'))
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 300 }), (head, rest) => {
      try {
        checkImageForm(Buffer.concat([head, rest]))
        return true
      } catch (error) {
        return String((error as { code?: string }).code).startsWith('IMAGE_')
      }
    }),
    { numRuns: 3_000 },
  )
})

test('pixels are drawn as squares in black and white', async () => {
  const png = await drawPixels(
    [
      [true, false],
      [false, true],
    ],
    3,
  )
  const { data, info } = await sharp(png).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height, info.channels]).toEqual([6, 6, 1])
  expect([...data.subarray(0, 6)]).toEqual([0, 0, 0, 255, 255, 255])
  expect(new Set(data)).toEqual(new Set([0, 255]))
})
