import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const pepper = 'ab'.repeat(32)
const databaseUrl = 'postgresql://scrip_server:hunter2@db:5432/scrip'

test('reads what is set and says what stands where nothing is', () => {
  expect(readConfig({ DATABASE_URL: databaseUrl, KEY_PEPPER: pepper })).toEqual({
    databaseUrl,
    ownerDatabaseUrl: databaseUrl,
    logLevel: 'info',
    keyPepper: Buffer.from(pepper, 'hex'),
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
})
