import { expect, test } from 'vitest'
import { defineErrors } from './errors.ts'
import { createLog } from './log.ts'

function record(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = []
  write(createLog('info', { write: (line: string) => void lines.push(line) }))
  return lines.join('')
}

test('keys, codes, PINs and passwords are redacted in logs, up to three levels deep', () => {
  const secret = 'S3CRET'
  const secrets = {
    authorization: secret,
    'x-api-private-key': secret,
    cookie: secret,
    password: secret,
    pin: secret,
    lockPin: secret,
    voucherCode: secret,
    code: secret,
    secretKey: secret,
    token: secret,
  }
  const text = record((log) => {
    log.info(secrets)
    log.info({ req: secrets })
    log.info({ req: { headers: secrets, body: secrets } })
  })
  expect(text).not.toContain(secret)
  expect(text.match(/\[redacted\]/g)).toHaveLength(40)
})

test('error codes stay readable', () => {
  const error = defineErrors({ TOO_LATE: { kind: 'conflict', message: 'It is too late.' } })
  expect(record((log) => log.error({ err: error('TOO_LATE') }))).toContain('"errorCode":"TOO_LATE"')
})
