import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const pepper = 'ab'.repeat(32)
const databaseUrl = 'postgresql://scrip_server:hunter2@db:5432/scrip'

test('reads what is set and says what stands where nothing is', () => {
  const ring = `1:${'cd'.repeat(32)},7:${'ef'.repeat(32)}`
  expect(readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: ring })).toEqual({
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
    publicUrl: 'http://127.0.0.1:8080',
    proxies: 0,
    mailServer: undefined,
    webhookNetworks: [],
    chainNodes: {},
    sweepKeys: [],
    requestsPerMinute: 1500,
    keyRequestsPerMinute: 6000,
  })
})

test('names every wrong setting at once, in words, and never its value', () => {
  const read = () => readConfig({ DATABASE_URL: 'mysql://root:hunter2@db/scrip', LOG_LEVEL: 'hunter2', PORT: '99999' })
  expect(read).toThrow(
    /DATABASE_URL is not an address of the form[^]*LOG_LEVEL is one of trace, debug[^]*PORT is a whole number up to 65535/,
  )
  expect(read).not.toThrow(/hunter2/)
  expect(() => readConfig({})).toThrow('DATABASE_URL is missing')
  for (const list of ['', 'ab', `${pepper},`, `${pepper} ${pepper}`])
    expect(() => readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: list })).toThrow(/KEY_PEPPER is 64/)
  for (const ring of ['', '1:', 'ab', `1:${pepper},1:${pepper}`, `0:${pepper}`, `1:${pepper}ff`])
    expect(() => readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: ring })).toThrow(
      /KEY_RING is 1:/,
    )
})

test('reads where mails go and which private networks webhooks may reach', () => {
  const needed = { DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: `1:${pepper}` }
  const mail = { SMTP_URL: 'smtp://us:hunter2@mail.example:587', MAIL_FROM: 'Corner Pay <pay@corner.example>' }
  const { mailServer, webhookNetworks } = readConfig({ ...needed, ...mail, WEBHOOK_NETWORKS: '10.0.5.0/24, fd00::/8' })
  expect(mailServer).toEqual({ url: mail.SMTP_URL, from: { name: 'Corner Pay', address: 'pay@corner.example' } })
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
      /CHAIN_NODES names nodes such as BSC=https:\/\/one/,
    )
  const keys = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`]
  expect(readConfig({ ...needed, SWEEP_KEY: keys.join(',') }).sweepKeys).toEqual(keys)
  expect(readConfig(needed).sweepKeys).toEqual([])
  expect(() => readConfig({ ...needed, SWEEP_KEY: '0xhunter2' })).toThrow(/SWEEP_KEY is 0x and 64 hex(?!.*hunter2)/)
  const read = () => readConfig({ ...needed, SMTP_URL: 'http://hunter2', WEBHOOK_NETWORKS: 'everywhere' })
  expect(read).toThrow(/SMTP_URL is an address[^]*WEBHOOK_NETWORKS is a list/)
  expect(read).not.toThrow(/hunter2|everywhere/)
  expect(() => readConfig({ ...needed, SMTP_URL: mail.SMTP_URL })).toThrow(/MAIL_FROM is an address/)
})
