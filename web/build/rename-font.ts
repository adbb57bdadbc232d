// The licence reserves the name "Plex" for the original fonts: a font that was changed needs another one.
import { readSfnt, writeSfnt } from './sfnt.ts'

type NameRecord = {
  readonly platform: number
  readonly encoding: number
  readonly language: number
  readonly id: number
  readonly text: Buffer
}

const headerBytes = 6
const recordBytes = 12
const macintosh = 1
/** The ids of copyright and licence, which stay as they are. */
const notices = new Set([0, 13, 14])

/** The font with the name of the product wherever it had its own: "Scrip Sans", "ScripSans-Medium". */
export function renameFont(font: Buffer): Buffer {
  const { version, tables } = readSfnt(font)
  const records = readNames(tables.get('name')).map((record) =>
    notices.has(record.id)
      ? record
      : { ...record, text: encode(record, decode(record).replace(/IBM ?Plex/g, 'Scrip')) },
  )
  return writeSfnt({ version, tables: new Map([...tables, ['name', writeNames(records)]]) })
}

/** The names of a font by their ids. */
export function readFontNames(font: Buffer): ReadonlyMap<number, string> {
  const records = readNames(readSfnt(font).tables.get('name'))
  return new Map(records.map((record) => [record.id, decode(record)]))
}

function encode({ platform }: NameRecord, text: string): Buffer {
  return platform === macintosh ? Buffer.from(text, 'latin1') : Buffer.from(text, 'utf16le').swap16()
}

function decode({ platform, text }: NameRecord): string {
  return platform === macintosh ? text.toString('latin1') : Buffer.from(text).swap16().toString('utf16le')
}

function readNames(table: Buffer = Buffer.alloc(headerBytes)): readonly NameRecord[] {
  const texts = table.readUInt16BE(4)
  return Array.from({ length: table.readUInt16BE(2) }, (_, i) => {
    const at = headerBytes + i * recordBytes
    const start = texts + table.readUInt16BE(at + 10)
    return {
      platform: table.readUInt16BE(at),
      encoding: table.readUInt16BE(at + 2),
      language: table.readUInt16BE(at + 4),
      id: table.readUInt16BE(at + 6),
      text: table.subarray(start, start + table.readUInt16BE(at + 8)),
    }
  })
}

function writeNames(records: readonly NameRecord[]): Buffer {
  const header = Buffer.alloc(headerBytes + records.length * recordBytes)
  header.writeUInt16BE(records.length, 2)
  header.writeUInt16BE(header.length, 4)
  let start = 0
  for (const [i, { platform, encoding, language, id, text }] of records.entries()) {
    const fields = [platform, encoding, language, id, text.length, start]
    for (const [place, field] of fields.entries())
      header.writeUInt16BE(field, headerBytes + i * recordBytes + place * 2)
    start += text.length
  }
  return Buffer.concat([header, ...records.map(({ text }) => text)])
}
