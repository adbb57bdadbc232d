import ipaddr from 'ipaddr.js'
import { splitHosts, targetOf } from './base/hosts.ts'
import type { Networks } from './messaging/event/guarded-agent.ts'
import type { MailServer } from './mail/send-mails.ts'
import { readSecretFiles } from './secret-files.ts'

/** This is the only file that reads environment variables. Startup stops with a message for every invalid setting. */
export type Config = {
  /** For the server, as a role that owns no tables. */
  readonly databaseUrl: string
  /** For operator commands, as the role that may fund live books. */
  readonly operatorDatabaseUrl: string
  /** For reading networks, as the role that may record payments. */
  readonly chainDatabaseUrl: string
  /** Services on other machines that may be used without TLS. */
  readonly allowPlaintext: readonly string[]
  /** For migrations, as the owner of the tables. */
  readonly ownerDatabaseUrl: string
  readonly logLevel: string
  /**
   * API keys are stored as HMACs with the first pepper; keys under others move to the first on use. If lost, all keys
   * must be replaced.
   */
  readonly keyPeppers: readonly [Buffer, ...Buffer[]]
  /**
   * The first key seals and signs codes, PINs, quotes and receipts; the others keep old ones working. If lost, no
   * code can be found.
   */
  readonly keyRing: readonly { readonly id: number; readonly secret: Buffer }[]
  /** The platform name that the operator chose. */
  readonly platformName: string
  readonly host: string
  readonly port: number
  /** Serves metrics and health details. Off without a port. */
  readonly internalHost: string
  readonly internalPort: number | undefined
  /** The public base URL, without a trailing slash. */
  readonly publicUrl: string
  /** The number of trusted proxies in front of the server. */
  readonly proxies: number
  /** The SMTP server. Undefined: emails wait. */
  readonly mailServer: MailServer | undefined
  /** Private networks that webhooks may reach. */
  readonly webhookNetworks: Networks
  /** Node URLs by network abbreviation. */
  readonly chainNodes: Readonly<Record<string, readonly string[]>>
  /** Keys that pay the gas of sweeps. The first signs new sweeps, the others finish their own. Empty: no sweeps. */
  readonly sweepKeys: readonly `0x${string}`[]
  /** Keys that pay redemptions to addresses, in the same order. Empty: no such redemptions of offchain vouchers. */
  readonly payoutKeys: readonly `0x${string}`[]
  /** Keys that create, redeem and close onchain vouchers, in the same order. Empty: no onchain vouchers. */
  readonly voucherKeys: readonly `0x${string}`[]
  /** Shares rate limits between processes. Undefined: each process counts for itself. */
  readonly redisUrl: string | undefined
  /** For how many months `scrip ledger archive` keeps payments where they can be refunded. Undefined: it has to be told. */
  readonly archiveAfterMonths: number | undefined
  /** Requests per minute and address. */
  readonly requestsPerMinute: number
  /** Requests per minute and API key. */
  readonly keyRequestsPerMinute: number
  /** After SIGTERM, how long requests are still served while readiness sends load balancers away. */
  readonly drainSeconds: number
}

type Environment = Readonly<Record<string, string | undefined>>
type Setting<T> = { value: T } | { problem: string }

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readConfig(given: Environment = process.env): Config {
  const { env, problems: fileProblems } = readSecretFiles(given)
  const settings = {
    allowPlaintext: readPlaintext(env, 'ALLOW_PLAINTEXT'),
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
    internalHost: { value: env.INTERNAL_HOST ?? '127.0.0.1' },
    internalPort: readPort(env, 'INTERNAL_PORT'),
    publicUrl: readHttpUrl(env, 'PUBLIC_URL', `http://${env.HOST ?? '127.0.0.1'}:${env.PORT ?? '8080'}`),
    proxies: readWholeNumber(env, 'PROXIES', 0, 10),
    mailServer: readMailServer(env),
    webhookNetworks: readNetworks(env, 'WEBHOOK_NETWORKS'),
    chainNodes: readNodes(env, 'CHAIN_NODES'),
    sweepKeys: readChainKeys(env, 'SWEEP_KEY'),
    payoutKeys: readChainKeys(env, 'PAYOUT_KEY'),
    voucherKeys: readChainKeys(env, 'VOUCHER_KEY'),
    redisUrl: readRedisUrl(env, 'REDIS_URL'),
    archiveAfterMonths: readMonths(env, 'ARCHIVE_AFTER_MONTHS'),
    requestsPerMinute: readWholeNumber(env, 'REQUESTS_PER_MINUTE', 1_500, 1_000_000),
    keyRequestsPerMinute: readWholeNumber(env, 'KEY_REQUESTS_PER_MINUTE', 6_000, 1_000_000),
    drainSeconds: readWholeNumber(env, 'DRAIN_SECONDS', 5, 300),
  }
  const settingProblems = Object.values(settings).flatMap((setting) => ('problem' in setting ? [setting.problem] : []))
  // A setting whose file cannot be read is not also missing.
  const problems = fileProblems.length > 0 ? fileProblems : settingProblems
  if (problems.length > 0)
    throw new Error(`The configuration is incomplete or invalid:\n${problems.map((c) => `  - ${c}`).join('\n')}`)
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, 'value' in setting ? setting.value : undefined]),
  ) as Config
}

// Messages never contain the value: URLs may contain passwords.
function readPostgresUrl(env: Environment, name: string, fallback?: string): Setting<string> {
  const text = env[name] ?? fallback
  if (text === undefined || text === '')
    return { problem: `${name} is missing. Set it to postgresql://user:password@host:5432/database` }
  const hosts = splitHosts(text)
  if (!hosts.every((host) => /^postgres(ql)?:$/.test(URL.parse(host)?.protocol ?? '')))
    return { problem: `${name} is not a URL of the form postgresql://user:password@host:5432/database` }
  if (!/^(read-write|primary)$/.test(targetOf(text) ?? 'primary'))
    return { problem: `${name} must lead to the primary: target_session_attrs is read-write or primary` }
  if (!hosts.every((host) => hasTls(host) || isOnThisMachine(host)) && !mayBePlaintext(env, 'postgres'))
    return {
      problem: `${name} has no TLS. Add ?sslmode=verify-full, or set ALLOW_PLAINTEXT=postgres on a trusted network`,
    }
  return { value: text }
}

function hasTls(url: string): boolean {
  return /^(require|verify-ca|verify-full)$/.test(URL.parse(url)?.searchParams.get('sslmode') ?? '')
}

const plaintextServices = ['postgres', 'smtp']

/** Services on other machines that may be used without TLS. */
function readPlaintext(env: Environment, name: string): Setting<readonly string[]> {
  const services = listOf(env[name])
  if (!services.every((service) => plaintextServices.includes(service)))
    return { problem: `${name} must be a list of ${plaintextServices.join(', ')}` }
  return { value: services }
}

function mayBePlaintext(env: Environment, service: string): boolean {
  return listOf(env.ALLOW_PLAINTEXT).includes(service)
}

function listOf(text = ''): string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
}

/** True for a socket or a loopback address. */
function isOnThisMachine(url: string): boolean {
  const parsed = URL.parse(url)
  const host = parsed?.searchParams.get('host') ?? parsed?.hostname ?? ''
  return host === '' || host.startsWith('/') || /^%2f/i.test(host) || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
}

function readHttpUrl(env: Environment, name: string, fallback: string): Setting<string> {
  const url = URL.parse(env[name] ?? fallback)
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: `${name} must be a URL such as https://pay.example.com` }
  return { value: url.href.replace(/\/$/, '') }
}

/** The first secret is the current one. */
function readSecrets(env: Environment, name: string): Setting<Config['keyPeppers']> {
  const texts = (env[name] ?? '').split(',').map((text) => text.trim())
  if (texts.some((text) => !/^[0-9a-f]{64,}$/.test(text)))
    return { problem: `${name} must be 64 hexadecimal digits. Create it with: openssl rand -hex 32` }
  return { value: texts.map((text) => Buffer.from(text, 'hex')) as [Buffer, ...Buffer[]] }
}

/** Format 1:…,2:…: each secret with its number. The first is used for new data. */
function readKeyRing(env: Environment, name: string): Setting<Config['keyRing']> {
  const parts = (env[name] ?? '').split(',')
  const keys = parts.map((part) => /^([1-9]\d{0,3}):([0-9a-f]{64})$/.exec(part.trim()))
  const ids = new Set(keys.map((key) => key?.[1]))
  if (keys.includes(null) || ids.size !== keys.length)
    return { problem: `${name} must be 1: and 64 hexadecimal digits. Create it with: echo "1:$(openssl rand -hex 32)"` }
  return { value: keys.map((key) => ({ id: Number(key?.[1]), secret: Buffer.from(key?.[2] ?? '', 'hex') })) }
}

function readRedisUrl(env: Environment, name: string): Setting<Config['redisUrl']> {
  const text = env[name]
  if (text === undefined || text === '') return { value: undefined }
  if (!/^rediss?:$/.test(URL.parse(text)?.protocol ?? ''))
    return { problem: `${name} must be a URL such as redis://user:password@redis.example.com:6379` }
  return { value: text }
}

function readMailServer(env: Environment): Setting<Config['mailServer']> {
  const { SMTP_URL: url, MAIL_FROM: from = '' } = env
  if (url === undefined || url === '') return { value: undefined }
  if (!/^smtps?:$/.test(URL.parse(url)?.protocol ?? ''))
    return { problem: 'SMTP_URL must be a URL such as smtp://user:password@mail.example.com:587' }
  const [, name = '', address] = /^(?:([^<>"]*)<)?([^\s<>"]+@[^\s<>"]+)>?$/.exec(from.trim()) ?? []
  if (address === undefined) return { problem: 'MAIL_FROM must be an email address such as Scrip <pay@example.com>' }
  const requireTls = !isOnThisMachine(url) && !mayBePlaintext(env, 'smtp')
  return { value: { url, requireTls, from: { name: name.trim() || (env.PLATFORM_NAME ?? 'Scrip'), address } } }
}

/** Format 10.0.5.0/24,fd00::/8. Empty by default. */
function readNetworks(env: Environment, name: string): Setting<Config['webhookNetworks']> {
  const texts = (env[name] ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  if (!texts.every((text) => ipaddr.isValidCIDR(text)))
    return { problem: `${name} must be a list of networks such as 10.0.5.0/24,fd00::/8` }
  return { value: texts.map((text) => ipaddr.parseCIDR(text)) }
}

/** Format BSC=https://one.example/key,https://two.example;ETH=…. With two nodes per network, they are compared. */
function readNodes(env: Environment, name: string): Setting<Config['chainNodes']> {
  const parts = (env[name] ?? '').split(';').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  const nodes = parts.map((part) => {
    const [network = '', ...rest] = part.split('=')
    return [network.trim(), rest.join('=').split(',')] as const
  })
  const isNode = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')
  if (!nodes.every(([network, urls]) => /^[A-Z0-9]{2,12}$/.test(network) && urls.every(isNode)))
    return { problem: `${name} must list nodes such as BSC=https://one.example,https://two.example;ETH=https://…` }
  return { value: Object.fromEntries(nodes) }
}

const chainKeyNames = ['SWEEP_KEY', 'PAYOUT_KEY', 'VOUCHER_KEY']

/** No key may have two purposes: a stolen one must not open more than its own. */
function readChainKeys(env: Environment, name: string): Setting<Config['sweepKeys']> {
  const texts = listOf(env[name])
  if (!texts.every((text) => /^0x[0-9a-f]{64}$/.test(text)))
    return { problem: `${name} must be 0x and 64 hexadecimal digits. Create it with: echo "0x$(openssl rand -hex 32)"` }
  const others = chainKeyNames.filter((other) => other !== name).flatMap((other) => listOf(env[other]))
  if (texts.some((text) => others.includes(text)))
    return { problem: `${name} has a key of another purpose. ${chainKeyNames.join(', ')} must differ` }
  return { value: texts as Config['sweepKeys'] }
}

function readOneOf(env: Environment, name: string, allowed: string[], fallback: string): Setting<string> {
  const text = env[name] ?? fallback
  if (!allowed.includes(text)) return { problem: `${name} must be one of ${allowed.join(', ')}` }
  return { value: text }
}

function readPort(env: Environment, name: string): Setting<number | undefined> {
  return (env[name] ?? '') === '' ? { value: undefined } : readWholeNumber(env, name, 0, 65_535)
}

/** Refunds need the payment: a year is the least. */
function readMonths(env: Environment, name: string): Setting<number | undefined> {
  const text = env[name] ?? ''
  if (text === '') return { value: undefined }
  if (!/^\d{1,4}$/.test(text) || Number(text) < 12) return { problem: `${name} must be a whole number from 12` }
  return { value: Number(text) }
}

function readWholeNumber(env: Environment, name: string, fallback: number, max: number): Setting<number> {
  const text = env[name] ?? String(fallback)
  if (!/^\d{1,7}$/.test(text) || Number(text) > max) return { problem: `${name} must be a whole number up to ${max}` }
  return { value: Number(text) }
}
