import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const pepper = 'ab'.repeat(32)
const databaseUrl = 'postgresql://scrip_server:hunter2@db:5432/scrip'

test('reads what is set and says what stands where nothing is', () => {
  const ring = `1:${'cd'.repeat(32)},7:${'ef'.repeat(32)}`
  expect(readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper, KEY_RING: ring })).toEqual({
    databaseUrl,
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
