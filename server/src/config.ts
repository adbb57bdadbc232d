/** The only file that reads the environment. A wrong setting is named in words before anything starts. */
export type Config = {
  /** Where the server connects, as a role that owns nothing. */
  readonly databaseUrl: string
  /** Where migrations connect, as the owner of the tables. */
  readonly ownerDatabaseUrl: string
  readonly logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>
type Setting<T> = { value: T } | { complaint: string }

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(env: Environment = process.env): Config {
  const settings = {
    databaseUrl: readPostgresUrl(env, 'DATABASE_URL'),
    ownerDatabaseUrl: readPostgresUrl(env, 'OWNER_DATABASE_URL', env.DATABASE_URL),
    logLevel: readOneOf(env, 'LOG_LEVEL', logLevels, 'info'),
  }
  const complaints = Object.values(settings).flatMap((setting) => ('complaint' in setting ? [setting.complaint] : []))
  if (complaints.length > 0)
    throw new Error(`The configuration is not complete:\n${complaints.map((c) => `  - ${c}`).join('\n')}`)
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, 'value' in setting ? setting.value : undefined]),
  ) as Config
}

// A complaint never repeats the value: an address carries a password.
function readPostgresUrl(env: Environment, name: string, fallback?: string): Setting<string> {
  const text = env[name] ?? fallback
  if (text === undefined || text === '')
    return { complaint: `${name} is missing. Set it to postgresql://user:password@host:5432/database` }
  const protocol = URL.parse(text)?.protocol
  if (protocol !== 'postgresql:' && protocol !== 'postgres:')
    return { complaint: `${name} is not an address of the form postgresql://user:password@host:5432/database` }
  return { value: text }
}

function readOneOf(env: Environment, name: string, allowed: string[], fallback: string): Setting<string> {
  const text = env[name] ?? fallback
  if (!allowed.includes(text)) return { complaint: `${name} is one of ${allowed.join(', ')}` }
  return { value: text }
}
