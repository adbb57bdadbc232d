import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'

export type Log = Logger

/** Names whose values never reach a log, wherever they stand, up to three levels down. */
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

/** An error's code names its kind and must stay readable, so it goes by a name that is not redacted. */
function serializeError(error: Error): object {
  const { code, ...rest } = stdSerializers.err(error)
  return { ...rest, errorCode: code as unknown }
}

export function createLog(level: string, destination?: DestinationStream): Log {
  const redact = { paths: redactedPaths, censor: '[redacted]' }
  const options = { level, base: null, redact, serializers: { err: serializeError } }
  return destination === undefined ? pino(options) : pino(options, destination)
}
