import { createHmac, type KeyObject } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from '../../base/random.ts'
import type { Mode } from '../../base/mode.ts'
import type { KeyKind } from './key-kind.ts'

const prefixes: Record<KeyKind, string> = { public: 'pk', secret: 'sk' }
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const bodyLength = 43 // 256 bits in base 62
const tailLength = 6 // 32 bits in base 62

/** pk_test_…: 256 random bits and a checksum, so that leaked keys can be recognised and typing errors detected. */
export function makeKey(kind: KeyKind, mode: Mode, random: Random): string {
  const body = toBase62(BigInt(`0x${random(32).toString('hex')}`), bodyLength)
  return `${prefixes[kind]}_${mode}_${body}${tailOf(body)}`
}

/** The kind and mode of a key, or undefined if the text is not a well-formed key. */
export function readKey(text: string): { kind: KeyKind; mode: Mode } | undefined {
  const [, prefix, mode, body = '', tail] = /^(pk|sk)_(live|test)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text) ?? []
  if (prefix === undefined || tail !== tailOf(body)) return undefined
  return { kind: prefix === 'pk' ? 'public' : 'secret', mode: mode as Mode }
}

export function digestKey(pepper: Buffer | KeyObject, key: string): Buffer {
  return createHmac('sha256', pepper).update(key).digest()
}

/** The part of a key that may be shown again: all of a public key, the start and end of a secret key. */
export function showKey(kind: KeyKind, key: string): string {
  return kind === 'public' ? key : `${key.slice(0, 8)}…${key.slice(-4)}`
}

function tailOf(body: string): string {
  return toBase62(BigInt(crc32(body)), tailLength)
}

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}
