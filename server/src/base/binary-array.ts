// Arrays as parameters in PostgreSQL's binary format. As text, each element is checked and joined here and parsed there, which took
// a fifth of the time of a batch.

/** The types of which arrays are sent in binary. The others, such as our enums, have ids that differ from database to database. */
export type BinaryType =
  | 'uuid'
  | 'text'
  | 'json'
  | 'smallint'
  | 'bigint'
  | 'numeric'
  | 'timestamptz'
  | 'boolean'
  | 'bytea'
export type BinaryValue = string | number | bigint | boolean | Date | Buffer | null

type Codec = {
  /** The type's number in PostgreSQL's catalogue. */
  readonly typeId: number
  readonly sizeOf: (value: never) => number
  readonly write: (into: Buffer, at: number, value: never) => void
}

const codecs: Readonly<Record<BinaryType, Codec>> = {
  uuid: { typeId: 2950, sizeOf: () => 16, write: writeUuid },
  text: { typeId: 25, sizeOf: sizeOfText, write: writeText },
  json: { typeId: 114, sizeOf: sizeOfText, write: writeText },
  smallint: { typeId: 21, sizeOf: () => 2, write: (into, at, value: number) => into.writeInt16BE(value, at) },
  bigint: { typeId: 20, sizeOf: () => 8, write: writeBigint },
  numeric: { typeId: 1700, sizeOf: sizeOfNumeric, write: writeNumeric },
  timestamptz: { typeId: 1184, sizeOf: () => 8, write: writeTime },
  bytea: { typeId: 17, sizeOf: ({ length }: Buffer) => length, write: writeBytes },
  boolean: { typeId: 16, sizeOf: () => 1, write: (into, at, value: boolean) => into.writeUInt8(value ? 1 : 0, at) },
}

export function isBinaryType(postgres: string): postgres is BinaryType {
  return Object.hasOwn(codecs, postgres)
}

const headerBytes = 20
const lengthBytes = 4

/** The values as an array of one dimension. */
export function binaryArray(type: BinaryType, values: readonly BinaryValue[]): Buffer {
  const { typeId, sizeOf, write } = codecs[type]
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value as never)))
  const total = sizes.reduce((sum, size) => sum + lengthBytes + Math.max(size, 0), headerBytes)
  const array = Buffer.allocUnsafe(total)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4)
  array.writeInt32BE(typeId, 8)
  array.writeInt32BE(values.length, 12)
  array.writeInt32BE(1, 16)
  let at = headerBytes
  for (const [i, value] of values.entries()) {
    const size = sizes[i] ?? -1
    array.writeInt32BE(size, at)
    at += lengthBytes
    if (value === null) continue
    write(array, at, value as never)
    at += size
  }
  return array
}

/** One column of the rows as an array. */
export function binaryColumn<Row>(type: BinaryType, rows: readonly Row[], pick: (row: Row) => BinaryValue): Buffer {
  return binaryArray(type, rows.map(pick))
}

function sizeOfText(value: string): number {
  return Buffer.byteLength(value)
}

function writeText(into: Buffer, at: number, value: string): void {
  into.write(value, at, 'utf8')
}

function writeBytes(into: Buffer, at: number, value: Buffer): void {
  into.set(value, at)
}

const dash = 45
const hexDigits = '0123456789abcdef'
/** The value of each hexadecimal digit, by its character code. */
const digitOf = Int8Array.from({ length: 128 }, (_, code) => hexDigits.indexOf(String.fromCharCode(code).toLowerCase()))

/** By hand: Node's own way takes a second string without the dashes, and a batch has thousands of ids. */
function writeUuid(into: Buffer, at: number, value: string): void {
  let digits = 0
  let high = 0
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code === dash) continue
    const digit = digitOf[code] ?? -1
    if (digit < 0 || digits === 32) throw new TypeError('A uuid has 32 hexadecimal digits.')
    if (digits % 2 === 0) high = digit
    else into[at + (digits - 1) / 2] = high * 16 + digit
    digits++
  }
  if (digits !== 32) throw new TypeError('A uuid has 32 hexadecimal digits.')
}

function writeBigint(into: Buffer, at: number, value: bigint | number): void {
  into.writeBigInt64BE(BigInt(value), at)
}

const epochMs = Date.UTC(2000, 0, 1)

/** Microseconds since 2000. */
function writeTime(into: Buffer, at: number, value: Date): void {
  into.writeBigInt64BE(BigInt(value.getTime() - epochMs) * 1_000n, at)
}

/** Whole numbers only: amounts are in minor units. Digits are groups of four, after their count, weight, sign and scale. */
function groupsOf(value: bigint): number[] {
  const digits = (value < 0n ? -value : value).toString()
  const groups: number[] = []
  for (let end = digits.length; end > 0; end -= 4) groups.unshift(Number(digits.slice(Math.max(end - 4, 0), end)))
  return groups
}

function sizeOfNumeric(value: bigint): number {
  if (typeof value !== 'bigint') throw new TypeError('An amount is a bigint.')
  const digits = value.toString().length - (value < 0n ? 1 : 0)
  return 8 + 2 * Math.ceil(digits / 4)
}

function writeNumeric(into: Buffer, at: number, value: bigint): void {
  const groups = groupsOf(value)
  into.writeInt16BE(groups.length, at)
  into.writeInt16BE(groups.length - 1, at + 2)
  into.writeUInt16BE(value < 0n ? 0x4000 : 0, at + 4)
  into.writeInt16BE(0, at + 6)
  for (const [i, group] of groups.entries()) into.writeInt16BE(group, at + 8 + 2 * i)
}
