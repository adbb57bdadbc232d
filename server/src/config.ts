import ipaddr from 'ipaddr.js'
import type { Networks } from './event/guarded-agent.ts'
import type { MailServer } from './mail/send-mails.ts'

/** The only file that reads the environment. A wrong setting is named in words before anything starts. */
export type Config = {
  /** Where the server connects, as a role that owns nothing. */
  readonly databaseUrl: string
  /** Where the operator's commands connect, as the role that may fund live books. */
  readonly operatorDatabaseUrl: string
  /** Where the reader of chains connects, as the role that may record payments. */
  readonly chainDatabaseUrl: string
  /** Where migrations connect, as the owner of the tables. */
  readonly ownerDatabaseUrl: string
  readonly logLevel: string
  /** Keys are stored as HMACs under the first; one stored under another moves to the first when it is used. Lost, keys have to be made anew. */
  readonly keyPeppers: readonly [Buffer, ...Buffer[]]
  /** Codes, pins, quotes and receipts are sealed and signed under the first; what others made goes on working. Lost, no code is found. */
  readonly keyRing: readonly { readonly id: number; readonly secret: Buffer }[]
  /** The name that the operator gave the platform. */
  readonly platformName: string
  readonly host: string
  readonly port: number
  /** The address by which others reach the server, without a slash at its end. */
  readonly publicUrl: string
  /** How many proxies in front of the server may say where a request comes from. */
  readonly proxies: number
  /** What sends our mails. None: they wait. */
  readonly mailServer: MailServer | undefined
  /** Networks that webhooks may go to although they are not public. */
  readonly webhookNetworks: Networks
  /** Addresses of nodes, by the network's abbreviation. */
  readonly chainNodes: Readonly<Record<string, readonly string[]>>
  /** What pays for the gas of sweeps. The first is the present one; another sees through what it has begun. None: nothing is swept. */
  readonly sweepKeys: readonly `0x${string}`[]
  /** What any one address may ask for in a minute. */
  readonly requestsPerMinute: number
  /** What any one key may ask for in a minute. */
  readonly keyRequestsPerMinute: number
}

type Environment = Readonly<Record<string, string | undefined>>
type Setting<T> = { value: T } | { complaint: string }

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(env: Environment = process.env): Config {
  const settings = {
    databaseUrl: readPostgresUrl(env, 'DATABASE_URL'),
    operatorDatabaseUrl: readPostgresUrl(env, 'OPERATOR_DATABASE_URL', env.DATABASE_URL),
    chainDatabaseUrl: readPostgresUrl(env, 'CHAIN_DATABASE_URL', env.DATABASE_URL),
    ownerDatabaseUrl: readPostgresUrl(env, 'OWNER_DATABASE_URL', env.DATABASE_URL),
    logLevel: readOneOf(env, 'LOG_LEVEL', logLevels, 'info'),
    keyPeppers: readSecrets(env, 'KEY_PEPPER'),
    keyRing: readKeyRing(env, 'KEY_RING'),
    platformName: { value: env.PLATFORM_NAME ?? 'Scrip' },
    host: { value: env.HOST ?? '127.0.0.1' },
    port: readWholeNumber(env, 'PORT', 8080, 65_535),
    publicUrl: readHttpUrl(env, 'PUBLIC_URL', `http://${env.HOST ?? '127.0.0.1'}:${env.PORT ?? '8080'}`),
    proxies: readWholeNumber(env, 'PROXIES', 0, 10),
    mailServer: readMailServer(env),
    webhookNetworks: readNetworks(env, 'WEBHOOK_NETWORKS'),
    chainNodes: readNodes(env, 'CHAIN_NODES'),
    sweepKeys: readSweepKeys(env, 'SWEEP_KEY'),
    requestsPerMinute: readWholeNumber(env, 'REQUESTS_PER_MINUTE', 1_500, 1_000_000),
    keyRequestsPerMinute: readWholeNumber(env, 'KEY_REQUESTS_PER_MINUTE', 6_000, 1_000_000),
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

function readHttpUrl(env: Environment, name: string, fallback: string): Setting<string> {
  const url = URL.parse(env[name] ?? fallback)
  if (url === null || !/^https?:$/.test(url.protocol))
    return { complaint: `${name} is an address such as https://pay.example.com` }
  return { value: url.href.replace(/\/$/, '') }
}

/** The first is the present one. */
function readSecrets(env: Environment, name: string): Setting<Config['keyPeppers']> {
  const texts = (env[name] ?? '').split(',').map((text) => text.trim())
  if (texts.some((text) => !/^[0-9a-f]{64,}$/.test(text)))
    return { complaint: `${name} is 64 hexadecimal digits. Make them with: openssl rand -hex 32` }
  return { value: texts.map((text) => Buffer.from(text, 'hex')) as [Buffer, ...Buffer[]] }
}

/** 1:…,2:…: each secret with its number. The first makes what is new. */
function readKeyRing(env: Environment, name: string): Setting<Config['keyRing']> {
  const parts = (env[name] ?? '').split(',')
  const keys = parts.map((part) => /^([1-9]\d{0,3}):([0-9a-f]{64})$/.exec(part.trim()))
  const ids = new Set(keys.map((key) => key?.[1]))
  if (keys.includes(null) || ids.size !== keys.length)
    return { complaint: `${name} is 1: and 64 hexadecimal digits. Make it with: echo "1:$(openssl rand -hex 32)"` }
  return { value: keys.map((key) => ({ id: Number(key?.[1]), secret: Buffer.from(key?.[2] ?? '', 'hex') })) }
}

function readMailServer(env: Environment): Setting<Config['mailServer']> {
  const { SMTP_URL: url, MAIL_FROM: from = '' } = env
  if (url === undefined || url === '') return { value: undefined }
  if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
    return { complaint: 'SMTP_URL is an address such as smtp://user:password@mail.example.com:587' }
  const [, name = '', address] = /^(?:([^<>"]*)<)?([^\s<>"]+@[^\s<>"]+)>?$/.exec(from.trim()) ?? []
  if (address === undefined) return { complaint: 'MAIL_FROM is an address such as Scrip <pay@example.com>' }
  return { value: { url, from: { name: name.trim() || (env.PLATFORM_NAME ?? 'Scrip'), address } } }
}

/** 10.0.5.0/24,fd00::/8: none, unless the operator says so. */
function readNetworks(env: Environment, name: string): Setting<Config['webhookNetworks']> {
  const texts = (env[name] ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  if (!texts.every((text) => ipaddr.isValidCIDR(text)))
    return { complaint: `${name} is a list of networks such as 10.0.5.0/24,fd00::/8` }
  return { value: texts.map((text) => ipaddr.parseCIDR(text)) }
}

/** BSC=https://one.example/key,https://two.example;ETH=…: two of each are better, since they are compared. */
function readNodes(env: Environment, name: string): Setting<Config['chainNodes']> {
  const parts = (env[name] ?? '').split(';').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  const nodes = parts.map((part) => {
    const [network = '', ...rest] = part.split('=')
    return [network.trim(), rest.join('=').split(',')] as const
  })
  const isNode = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')
  if (!nodes.every(([network, urls]) => /^[A-Z0-9]{2,12}$/.test(network) && urls.every(isNode)))
    return { complaint: `${name} names nodes such as BSC=https://one.example,https://two.example;ETH=https://…` }
  return { value: Object.fromEntries(nodes) }
}

function readSweepKeys(env: Environment, name: string): Setting<Config['sweepKeys']> {
  const texts = (env[name] ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  if (!texts.every((text) => /^0x[0-9a-f]{64}$/.test(text)))
    return { complaint: `${name} is 0x and 64 hexadecimal digits. Make it with: echo "0x$(openssl rand -hex 32)"` }
  return { value: texts as Config['sweepKeys'] }
}

function readOneOf(env: Environment, name: string, allowed: string[], fallback: string): Setting<string> {
  const text = env[name] ?? fallback
  if (!allowed.includes(text)) return { complaint: `${name} is one of ${allowed.join(', ')}` }
  return { value: text }
}

function readWholeNumber(env: Environment, name: string, fallback: number, max: number): Setting<number> {
  const text = env[name] ?? String(fallback)
  if (!/^\d{1,7}$/.test(text) || Number(text) > max) return { complaint: `${name} is a whole number up to ${max}` }
  return { value: Number(text) }
}
