import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

/** Fields whose values are redacted in logs, up to three levels deep. */
const secretNames = [
  'authorization',
  'x-api-private-key',
  'cookie',
  'set-cookie',
  'password',
  'pin',
  'lockPin',
  'code',
  'voucherCode',
  'secret',
  'secretKey',
  'privateKey',
  'token',
]

const redactedPaths = ['', '*.', '*.*.'].flatMap((prefix) =>
  secretNames.map((name) => (name.includes('-') ? `${prefix.replace(/\.$/, '')}["${name}"]` : `${prefix}${name}`)),
)

/** Writes an error's code as `errorCode`: the field `code` is redacted, and error codes must stay readable. */
function serializeError(error: Error): object {
  const { code, ...rest } = stdSerializers.err(error)
  return { ...rest, errorCode: code as unknown }
}

/** `source` is in every line: which process of which machine wrote it. */
export function createLog(level: string, destination?: DestinationStream, source: object | null = null): Log {
  const redact = { paths: redactedPaths, censor: '[redacted]' }
  const options = { level, base: source, redact, serializers: { err: serializeError } }
  return destination === undefined ? pino(options) : pino(options, destination)
}
