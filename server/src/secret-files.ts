import { readFileSync } from 'node:fs'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings that contain a password or a key. Each can be the content of a file, whose path is in the setting's name with _FILE. */
export const secretNames = [
  'DATABASE_URL',
  'OPERATOR_DATABASE_URL',
  'CHAIN_DATABASE_URL',
  'OWNER_DATABASE_URL',
  'KEY_PEPPER',
  'KEY_RING',
  'SMTP_URL',
  'REDIS_URL',
  'CHAIN_NODES',
  'SWEEP_KEY',
  'PAYOUT_KEY',
  'VOUCHER_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

type Read = { readonly env: Environment; readonly problems: readonly string[] }

/** Adds the secrets that are in files. An empty file counts as no file: systemd gives one for a credential that does not exist. */
export function readSecretFiles(env: Environment): Read {
  const found: Record<string, string> = {}
  const problems: string[] = []
  for (const name of secretNames) {
    const path = env[`${name}_FILE`] ?? ''
    if (path === '') continue
    if ((env[name] ?? '') !== '') {
      problems.push(`${name} and ${name}_FILE are both set. Set one`)
      continue
    }
    const content = readIfPossible(path)
    // A path is not a secret.
    if (content === undefined) problems.push(`${name}_FILE is ${path}, which cannot be read`)
    else if (content !== '') found[name] = content
  }
  return { env: { ...env, ...found }, problems }
}

/** The content without the line end that editors add. */
function readIfPossible(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}
