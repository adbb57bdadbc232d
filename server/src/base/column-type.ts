import type { FieldDef } from 'pg'

/** Marks values that are placed in a statement as SQL and not as parameters. */
export const fragment = Symbol('SQL fragment')

/** A piece of SQL. Its parts are parameters, or pieces of SQL themselves. */
export type Fragment = {
  readonly [fragment]: { readonly texts: readonly string[]; readonly parts: readonly unknown[] }
}

/** An SQL expression with the type of its values. */
export type Expression<Read> = Fragment & { readonly type: ColumnType<Read, unknown> }

/**
 * The type of a column. As a tag of a template it makes an expression of this type: sql.text`b.currency`. `Write` is what
 * an insert takes if it differs from what a select returns.
 */
export type ColumnType<Read, Write = Read> = ((
  texts: readonly string[],
  ...parts: readonly unknown[]
) => Expression<Read>) & {
  /** The name in PostgreSQL. */
  readonly postgres: string
  readonly isNullable: boolean
  /** True if documents leave the column to its default in PostgreSQL. */
  readonly isDefault: boolean
  /** Whether a column that PostgreSQL returns has this type. */
  readonly fits: (field: Pick<FieldDef, 'dataTypeID'>) => boolean
  /** Whether a value other than null is one of this type. */
  readonly accepts: (value: unknown) => value is Read
  /** Exists in the type checker only. */
  readonly write?: Write
}

type Facts<Read> = Pick<ColumnType<Read>, 'postgres' | 'isNullable' | 'isDefault' | 'fits' | 'accepts'>

function createType<Read, Write = Read>(facts: Facts<Read>): ColumnType<Read, Write> {
  const type: ColumnType<Read, Write> = Object.assign(
    (texts: readonly string[], ...parts: readonly unknown[]): Expression<Read> => ({
      [fragment]: { texts, parts },
      type,
    }),
    facts,
  )
  return type
}

function plainType<Read, Write = Read>(
  postgres: string,
  typeIds: readonly number[],
  accepts: (value: unknown) => value is Read,
): ColumnType<Read, Write> {
  const fits: Facts<Read>['fits'] = ({ dataTypeID }) => typeIds.includes(dataTypeID)
  return createType<Read, Write>({ postgres, isNullable: false, isDefault: false, fits, accepts })
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isBigint = (value: unknown): value is bigint => typeof value === 'bigint'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isDate = (value: unknown): value is Date => value instanceof Date
const isBuffer = (value: unknown): value is Buffer => Buffer.isBuffer(value)
const isStrings = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isString)
const isHex = (value: unknown): value is `0x${string}` => isString(value) && /^0x[0-9a-f]*$/i.test(value)
const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isNumber)
const isBigints = (value: unknown): value is readonly bigint[] => Array.isArray(value) && value.every(isBigint)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isRefused = (value: unknown): value is string => value === undefined
const isAnything = (value: unknown): value is unknown => value !== undefined

// The ids of PostgreSQL's own types never change. Types made by a migration have ids from 16384.
const textIds = [25, 1043, 1042]
const firstOwnId = 16_384

/** The column types that the tables use. */
export const columnTypes = {
  uuid: plainType('uuid', [2950], isString),
  uuids: plainType('uuid[]', [2951], isStrings),
  text: plainType('text', textIds, isString),
  /** An address, hash or data of a network: 0x and hexadecimal digits. */
  hex: plainType<`0x${string}`, string>('text', textIds, isHex),
  texts: plainType('text[]', [1009], isStrings),
  bytea: plainType('bytea', [17], isBuffer),
  /** A whole number. One with decimals is refused, because it would be rounded: select it as text. */
  numeric: plainType('numeric', [1700], isBigint),
  /** A number with decimals. It is never read as it is: select it as text. */
  decimal: plainType('numeric', [1700], isRefused),
  bigint: plainType('bigint', [20], isBigint),
  bigints: plainType('bigint[]', [1016], isBigints),
  smallint: plainType('smallint', [21], isNumber),
  integer: plainType('integer', [23], isNumber),
  integers: plainType('integer[]', [1007], isNumbers),
  boolean: plainType('boolean', [16], isBoolean),
  timestamptz: plainType('timestamptz', [1184], isDate),
  /** Written as text, read as what the JSON says. */
  json: plainType<unknown, string>('json', [114, 3802], isAnything),
  /** The same for JSON that is an object. */
  jsonObject: plainType<Readonly<Record<string, unknown>>, string>('json', [114, 3802], isObject),
}

/** The type of a column that may be null. */
export function orNull<Read, Write>(type: ColumnType<Read, Write>): ColumnType<Read | null, Write | null> {
  const { postgres, isDefault, fits, accepts } = type
  return createType<Read | null, Write | null>({ postgres, isDefault, fits, accepts, isNullable: true })
}

/** The type of a column that documents leave to its default in PostgreSQL. A later statement may set it. */
export function withDefault<Read, Write>(type: ColumnType<Read, Write>): ColumnType<Read, Write | undefined> {
  const { postgres, isNullable, fits, accepts } = type
  return createType<Read, Write | undefined>({ postgres, isNullable, fits, accepts, isDefault: true })
}

/** The type of a text or enum column with these values only. */
export function oneOf<const Name extends string>(names: readonly Name[]): ColumnType<Name> {
  const known: ReadonlySet<unknown> = new Set(names)
  return createType<Name>({
    postgres: 'text',
    isNullable: false,
    isDefault: false,
    fits: ({ dataTypeID }) => textIds.includes(dataTypeID) || dataTypeID >= firstOwnId,
    accepts: (value): value is Name => known.has(value),
  })
}
