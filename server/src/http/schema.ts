import Type, { type TNumber, type TObject, type TProperties, type TString, type TUnion, type TUnsafe } from 'typebox'

/** An object schema with a name in the API reference. Generated clients name their types after it. */
export function named<Properties extends TProperties>(title: string, properties: Properties): TObject<Properties> {
  return Type.Object(properties, { title })
}

declare const isAmount: unique symbol
/**
 * An amount in a response, as a JSON number in major units. A JavaScript number would lose digits: the server writes it with
 * `exactNumber`, and our pages read its digits as text.
 */
export type Amount = number & { readonly [isAmount]: true }

/** An amount as the server writes it. */
export type ExactNumber = { readonly rawJSON: string }

export function money(description?: string): TUnsafe<Amount> {
  return Type.Unsafe<Amount>({ type: 'number', title: 'Money', ...(description !== undefined && { description }) })
}

/** What the server writes for a response of this type. Amounts are exact; so are rates and percentages. */
export type Wire<T> = T extends Amount
  ? ExactNumber
  : T extends number
    ? T | ExactNumber
    : T extends readonly (infer Item)[]
      ? readonly Wire<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Wire<T[Key]> }
        : T

/** What our pages read of a response of this type. */
export type Read<T> = T extends Amount
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Read<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Read<T[Key]> }
      : T

/** The fields of a response that is one page of a list read by cursor. */
export const cursorFields = {
  nextCursor: Type.String({ description: 'Empty on the last page' }),
  hasMore: Type.Boolean({ description: 'Whether there is a next page' }),
}

/** Limits that an endpoint checks itself, with an error of its own. Only the API reference states them. */
export function documentedLimits(limits: Readonly<Record<string, number | string>>): Record<string, unknown> {
  return { 'x-limits': limits }
}

/** A body schema that refuses unknown fields. */
export function closed<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false })
}

const decimal = '^[0-9]+([.][0-9]+)?$'

/** The schema of an amount: a number, its digits as a string, or a word such as "max". */
export function wireAmount(description: string, orWord?: string): TUnion<[TNumber, TString]> {
  const pattern = orWord === undefined ? decimal : `${decimal}|^${orWord}$`
  const text = Type.String({ minLength: 1, maxLength: 120, ...documentedLimits({ pattern }) })
  const title = orWord === undefined ? 'Amount' : `AmountOr${orWord.charAt(0).toUpperCase()}${orWord.slice(1)}`
  return Type.Union([Type.Number(documentedLimits({ minimum: 0 })), text], { title, description })
}
