// Reads and writes the container of a TrueType font: a directory and its tables.

/** The tables of a font by their tags. */
export type Sfnt = { readonly version: number; readonly tables: ReadonlyMap<string, Buffer> }

const headerBytes = 12
const recordBytes = 16
/** The sum of all words of a font, as the specification wants it. */
const fontSum = 0xb1b0afba
const adjustmentAt = 8

export function readSfnt(font: Buffer): Sfnt {
  const tables = new Map<string, Buffer>()
  for (let i = 0; i < font.readUInt16BE(4); i++) {
    const at = headerBytes + i * recordBytes
    const start = font.readUInt32BE(at + 8)
    tables.set(font.toString('latin1', at, at + 4), font.subarray(start, start + font.readUInt32BE(at + 12)))
  }
  return { version: font.readUInt32BE(0), tables }
}

export function writeSfnt({ version, tables }: Sfnt): Buffer {
  const tags = [...tables.keys()].sort()
  const header = Buffer.alloc(headerBytes + tags.length * recordBytes)
  const power = Math.floor(Math.log2(tags.length))
  header.writeUInt32BE(version, 0)
  header.writeUInt16BE(tags.length, 4)
  header.writeUInt16BE(2 ** power * 16, 6)
  header.writeUInt16BE(power, 8)
  header.writeUInt16BE(tags.length * 16 - 2 ** power * 16, 10)
  const bodies: Buffer[] = []
  let start = header.length
  for (const [i, tag] of tags.entries()) {
    const table = Buffer.from(tables.get(tag) ?? '')
    if (tag === 'head') table.writeUInt32BE(0, adjustmentAt)
    const padded = Buffer.concat([table, Buffer.alloc(-table.length & 3)])
    const at = headerBytes + i * recordBytes
    header.write(tag, at, 'latin1')
    header.writeUInt32BE(sumOf(padded), at + 4)
    header.writeUInt32BE(start, at + 8)
    header.writeUInt32BE(table.length, at + 12)
    bodies.push(padded)
    start += padded.length
  }
  const font = Buffer.concat([header, ...bodies])
  const head = bodies.slice(0, tags.indexOf('head')).reduce((sum, body) => sum + body.length, header.length)
  font.writeUInt32BE((fontSum - sumOf(font)) >>> 0, head + adjustmentAt)
  return font
}

function sumOf(words: Buffer): number {
  let sum = 0
  for (let at = 0; at < words.length; at += 4) sum = (sum + words.readUInt32BE(at)) >>> 0
  return sum
}
