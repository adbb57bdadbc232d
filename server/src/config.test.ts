import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from './config.ts'
import { secretNames } from './secret-files.ts'

const pepper = 'ab'.repeat(32)
const databaseUrl = 'postgresql://scrip_server:hunter2@db:5432/scrip?sslmode=verify-full'

test('reads settings and applies defaults', () => {
  const ring = `1:${'cd'.repeat(32)},7:${'ef'.repeat(32)}`
  expect(readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: ring })).toEqual({
    allowPlaintext: [],
    databaseUrl,
    operatorDatabaseUrl: databaseUrl,
    chainDatabaseUrl: databaseUrl,
    ownerDatabaseUrl: databaseUrl,
    logLevel: 'info',
    keyPeppers: [Buffer.from(pepper, 'hex')],
    keyRing: [
      { id: 1, secret: Buffer.alloc(32, 0xcd) },
      { id: 7, secret: Buffer.alloc(32, 0xef) },
    ],
    platformName: 'Scrip',
    host: '127.0.0.1',
    port: 8080,
    internalHost: '127.0.0.1',
    internalPort: undefined,
    publicUrl: 'http://127.0.0.1:8080',
    proxies: 0,
    mailServer: undefined,
    webhookNetworks: [],
    chainNodes: {},
    sweepKeys: [],
    payoutKeys: [],
    voucherKeys: [],
    redisUrl: undefined,
    requestsPerMinute: 1500,
    keyRequestsPerMinute: 6000,
    drainSeconds: 5,
  })
})

test('reports all invalid settings at once, without their values', () => {
  const read = () => readConfig({ DATABASE_URL: 'mysql://root:hunter2@db/scrip', LOG_LEVEL: 'hunter2', PORT: '99999' })
  expect(read).toThrow(
    /DATABASE_URL is not a URL of the form[^]*LOG_LEVEL must be one of trace, debug[^]*PORT must be a whole number up to 65535/,
  )
  expect(read).not.toThrow(/hunter2/)
  expect(() => readConfig({})).toThrow('DATABASE_URL is missing')
  for (const list of ['', 'ab', `${pepper},`, `${pepper} ${pepper}`])
    expect(() => readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: list })).toThrow(/KEY_PEPPER must be 64/)
  for (const ring of ['', '1:', 'ab', `1:${pepper},1:${pepper}`, `0:${pepper}`, `1:${pepper}ff`])
    expect(() => readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: ring })).toThrow(
      /KEY_RING must be 1:/,
    )
})

test('reads the SMTP server, webhook networks, nodes, sweep keys and the Redis URL', () => {
  const needed = { DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: `1:${pepper}` }
  const mail = { SMTP_URL: 'smtp://us:hunter2@mail.example:587', MAIL_FROM: 'Corner Pay <pay@corner.example>' }
  const { mailServer, webhookNetworks } = readConfig({ ...needed, ...mail, WEBHOOK_NETWORKS: '10.0.5.0/24, fd00::/8' })
  expect(mailServer).toEqual({
    url: mail.SMTP_URL,
    requireTls: true,
    from: { name: 'Corner Pay', address: 'pay@corner.example' },
  })
  expect(webhookNetworks.map(([address, bits]) => `${address.toString()}/${bits}`)).toEqual(['10.0.5.0/24', 'fd00::/8'])
  const bare = readConfig({ ...needed, ...mail, MAIL_FROM: 'pay@corner.example' })
  expect(bare.mailServer?.from).toEqual({ name: 'Scrip', address: 'pay@corner.example' })
  const nodes = 'BSC=https://one.example/a=b,https://two.example;ETH=http://127.0.0.1:1'
  expect(readConfig({ ...needed, CHAIN_NODES: nodes }).chainNodes).toEqual({
    BSC: ['https://one.example/a=b', 'https://two.example'],
    ETH: ['http://127.0.0.1:1'],
  })
  for (const wrong of ['BSC', 'BSC=', 'bsc=https://hunter2', 'BSC=ftp://hunter2', '=https://hunter2'])
    expect(() => readConfig({ ...needed, CHAIN_NODES: wrong })).toThrow(
      /CHAIN_NODES must list nodes such as BSC=https:\/\/one/,
    )
  const keys = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`]
  expect(readConfig({ ...needed, SWEEP_KEY: keys.join(',') }).sweepKeys).toEqual(keys)
  expect(readConfig(needed).sweepKeys).toEqual([])
  expect(() => readConfig({ ...needed, SWEEP_KEY: '0xhunter2' })).toThrow(
    /SWEEP_KEY must be 0x and 64 hex(?!.*hunter2)/,
  )
  expect(() => readConfig({ ...needed, SWEEP_KEY: keys[0], PAYOUT_KEY: keys.join(',') })).toThrow(
    /PAYOUT_KEY has a key of another purpose/,
  )
  const redisUrl = 'rediss://us:hunter2@redis.example:6380/1'
  expect(readConfig({ ...needed, REDIS_URL: redisUrl }).redisUrl).toBe(redisUrl)
  expect(readConfig({ ...needed, REDIS_URL: '' }).redisUrl).toBeUndefined()
  expect(() => readConfig({ ...needed, REDIS_URL: 'hunter2:6379' })).toThrow(/REDIS_URL must be a URL(?!.*hunter2)/)
  const read = () => readConfig({ ...needed, SMTP_URL: 'http://hunter2', WEBHOOK_NETWORKS: 'everywhere' })
  expect(read).toThrow(/SMTP_URL must be a URL[^]*WEBHOOK_NETWORKS must be a list/)
  expect(read).not.toThrow(/hunter2|everywhere/)
  expect(() => readConfig({ ...needed, SMTP_URL: mail.SMTP_URL })).toThrow(/MAIL_FROM must be an email address/)
})

test('a database URL may name several hosts, each with TLS or on this machine, and must lead to the primary', () => {
  const read = (url: string) => () =>
    readConfig({ KEY_PEPPER: pepper, KEY_RING: `1:${pepper}`, DATABASE_URL: url }).databaseUrl
  const both = 'postgresql://us:hunter2@db1:5432,db2:5433/scrip'
  for (const url of [`${both}?sslmode=verify-full&target_session_attrs=read-write`, `${both}?sslmode=require`])
    expect(read(url)()).toBe(url)
  expect(read('postgresql://us:hunter2@127.0.0.1:1,localhost:2/scrip')).not.toThrow()
  for (const url of [
    both,
    'postgresql://us:hunter2@127.0.0.1:1,db2/scrip',
    'postgresql://us:hunter2@db1,[::1]/scrip',
  ]) {
    expect(read(url)).toThrow(/DATABASE_URL has no TLS/)
    expect(read(url)).not.toThrow(/hunter2/)
  }
  for (const wrong of ['any', 'standby', 'prefer-standby', 'read-only'])
    expect(read(`${both}?sslmode=require&target_session_attrs=${wrong}`)).toThrow(/must lead to the primary/)
  expect(read('postgresql://us:hunter2@db1:x,db2/scrip?sslmode=require')).toThrow(/is not a URL of the form/)
})

test('PostgreSQL and SMTP on other machines need TLS, unless ALLOW_PLAINTEXT names them', () => {
  const needed = { KEY_PEPPER: pepper, KEY_RING: `1:${pepper}`, MAIL_FROM: 'pay@corner.example' }
  const read =
    (url: string, more: Record<string, string> = {}) =>
    () =>
      readConfig({ ...needed, DATABASE_URL: url, ...more })
  const bare = 'postgresql://scrip_server:hunter2@db:5432/scrip'
  for (const url of [bare, `${bare}?sslmode=disable`, `${bare}?sslmode=prefer`, `${bare}?sslmode=no-verify`]) {
    expect(read(url)).toThrow(/DATABASE_URL has no TLS/)
    expect(read(url)).not.toThrow(/hunter2/)
  }
  const local = ['127.0.0.1:5432', 'localhost', '[::1]:5432'].map((host) => `postgresql://scrip_server@${host}/scrip`)
  const sockets = ['postgresql:///scrip?host=/run/postgresql', 'postgresql://scrip_server@%2Frun%2Fpostgresql/scrip']
  for (const url of [...local, ...sockets, `${bare}?sslmode=require`, databaseUrl]) expect(read(url)).not.toThrow()
  expect(read(bare, { ALLOW_PLAINTEXT: 'postgres' })).not.toThrow()
  expect(read(bare, { ALLOW_PLAINTEXT: 'smtp' })).toThrow(/DATABASE_URL has no TLS/)
  expect(read(databaseUrl, { ALLOW_PLAINTEXT: 'everything' })).toThrow(
    /ALLOW_PLAINTEXT must be a list of postgres, smtp/,
  )
  const tlsOf = (url: string, more = {}) => read(databaseUrl, { SMTP_URL: url, ...more })().mailServer?.requireTls
  expect([tlsOf('smtp://mail.example'), tlsOf('smtp://127.0.0.1:25')]).toEqual([true, false])
  expect(tlsOf('smtp://mail.example', { ALLOW_PLAINTEXT: 'smtp' })).toBe(false)
})

test('each secret can be the content of a file, with or without a line end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const secrets: Record<(typeof secretNames)[number], string> = {
    DATABASE_URL: databaseUrl,
    OPERATOR_DATABASE_URL: databaseUrl.replace('server', 'operator'),
    CHAIN_DATABASE_URL: databaseUrl.replace('server', 'chain'),
    OWNER_DATABASE_URL: databaseUrl.replace('server', 'owner'),
    KEY_PEPPER: pepper,
    KEY_RING: `2:${pepper},1:${'cd'.repeat(32)}`,
    SMTP_URL: 'smtps://us:hunter2@mail.example:465',
    REDIS_URL: 'rediss://us:hunter2@redis.example:6380',
    CHAIN_NODES: 'BSC=https://one.example/hunter2',
    SWEEP_KEY: `0x${'a'.repeat(64)}`,
    PAYOUT_KEY: `0x${'b'.repeat(64)}`,
    VOUCHER_KEY: `0x${'c'.repeat(64)}`,
  }
  const paths = Object.entries(secrets).map(([name, value], i) => {
    const path = join(folder, name)
    writeFileSync(path, [value, `${value}\n`, `${value}\r\n`][i % 3] ?? '')
    return [`${name}_FILE`, path]
  })
  const env: Record<string, string> = {
    MAIL_FROM: 'pay@corner.example',
    ...(Object.fromEntries(paths) as Record<string, string>),
  }
  expect(readConfig(env)).toEqual(readConfig({ MAIL_FROM: 'pay@corner.example', ...secrets }))
  expect(readConfig({ ...env, KEY_PEPPER: '' }).keyPeppers).toEqual([Buffer.from(pepper, 'hex')])
  expect(() => readConfig({ ...env, KEY_RING: secrets.KEY_RING })).toThrow('KEY_RING and KEY_RING_FILE are both set')
  writeFileSync(join(folder, 'CHAIN_DATABASE_URL'), '')
  expect(readConfig(env).chainDatabaseUrl).toBe(databaseUrl)
  rmSync(join(folder, 'KEY_PEPPER'))
  expect(() => readConfig(env)).toThrow(/KEY_PEPPER_FILE is .*KEY_PEPPER, which cannot be read/)
  expect(() => readConfig(env)).not.toThrow(/KEY_PEPPER must be|hunter2/)
})
