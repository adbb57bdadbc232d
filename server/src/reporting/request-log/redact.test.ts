import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../base/random.ts'
import { makeKey } from '../../identity/merchant/key.ts'
import { writeSymbols } from '../../vouchers/code/symbols.ts'
import { toEntry } from './entry.ts'
import { looksSecret, redactJson } from './redact.ts'
import { listShownNames } from './shown-fields.ts'

const group = (code: string, size: number): string => code.match(new RegExp(`.{1,${size}}`, 'g'))?.join('-') ?? ''
const code = fc
  .array(fc.integer({ min: 0, max: 31 }), { minLength: 15, maxLength: 15 })
  .map((symbols) => writeSymbols(symbols))
const grouped = code.map((symbols) => group(symbols, 4))
const key = fc.constantFrom('public' as const, 'secret' as const).map((kind) => makeKey(kind, 'live', systemRandom))
const email = fc.uuid().map((id) => `${id.slice(0, 8)}@example.com`)
/** Can be recognised wherever they are. */
const recognisable = fc.oneof(code, grouped, key, email)
/** PINs, passwords and names can only be recognised by the name of their field. */
const anything = fc.oneof(recognisable, fc.stringMatching(/^[0-9]{4,6}$/), fc.string({ minLength: 8, maxLength: 20 }))
const secretNames = ['lockPin', 'pin', 'voucherCode', 'password', 'secret', 'email', 'fullName', 'phone', 'metadata']

/** A body with secrets in it, and those secrets. */
type Sample = { readonly body: unknown; readonly secrets: readonly string[] }
const samples = fc.letrec<{ value: Sample }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Sample>({ body: true, secrets: [] }, { body: 12.5, secrets: [] }, { body: null, secrets: [] }),
    recognisable.map((secret) => ({ body: { currency: secret }, secrets: [secret] })),
    fc.tuple(fc.constantFrom(...secretNames), anything).map(([name, secret]) => ({
      body: { [name]: secret },
      secrets: [secret],
    })),
    recognisable.map((secret) => ({ body: { [`${secret}1`]: 1 }, secrets: [secret] })),
    fc.array(tie('value'), { maxLength: 3 }).map((list) => ({
      body: list.map(({ body }) => body),
      secrets: list.flatMap(({ secrets }) => secrets),
    })),
    fc.dictionary(fc.constantFrom('data', 'data2', 'voucher', 'items', ...secretNames), tie('value')).map((fields) => ({
      body: Object.fromEntries(Object.entries(fields).map(([name, { body }]) => [name, body])),
      secrets: Object.values(fields).flatMap(({ secrets }) => secrets),
    })),
  ),
})).value

const base = {
  ...{ id: '', environmentId: '', keyId: '', method: 'POST', route: '/', address: '', at: new Date(0), bytes: 0 },
  ...{ status: 200, durationMs: 0, reference: undefined, params: {} },
}

describe('redaction', () => {
  test('no voucher code, key, PIN, password or address of a random body is in its entry, wherever it was', () => {
    const check = fc.property(samples, ({ body, secrets }) => {
      const entry = toEntry({ ...base, body, sent: JSON.stringify(body) })
      const written = JSON.stringify(entry)
      // A short secret can be part of the word [hidden], or of a name.
      for (const secret of secrets) {
        const inText = JSON.stringify(secret).slice(1, -1)
        if (inText.trim().length >= 4 && !'"[hidden]"'.includes(inText)) expect(written).not.toContain(inText)
      }
    })
    fc.assert(check, { numRuns: 2_000 })
  })

  test('a redacted body is valid JSON of the same shape', () => {
    const shapeOf = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shapeOf)
      if (typeof value === 'object' && value !== null) return Object.values(value).map(shapeOf)
      return 'value'
    }
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        // Hidden names can be equal, and of equal names a parser keeps one.
        const redacted = redactJson('request', text).replaceAll(
          '"[hidden]":',
          () => `"${systemRandom(6).toString('hex')}":`,
        )
        expect(shapeOf(JSON.parse(redacted))).toEqual(shapeOf(JSON.parse(text)))
      }),
    )
  })

  test('amounts keep their digits, and harmless fields their values', () => {
    const text =
      '{"amount":12.50,"currency":"USD","referenceId":"order-1","list":[{"totalAmount":9007199254740993.10}]}'
    expect(redactJson('request', text)).toBe(text)
  })

  test('an error says its code and its field, and a voucher code beside it is hidden', () => {
    const text = JSON.stringify({
      ...{ message: 'No valid voucher has this code.', code: 404, status: 'error' },
      ...{ error: { type: 'not_found', code: 'VOUCHER_NOT_FOUND', param: 'voucherCode', doc: '/docs/errors/x' } },
      data: { code: 'J1NZ-V91P-CXQJ-9YH9', voucher: { code: 'J1NZV91PCXQJ9YH9' } },
    })
    expect(JSON.parse(redactJson('response', text))).toEqual({
      ...{ message: 'No valid voucher has this code.', code: 404, status: 'error' },
      ...{ error: { type: 'not_found', code: 'VOUCHER_NOT_FOUND', param: 'voucherCode', doc: '/docs/errors/x' } },
      data: { code: '[hidden]', voucher: { code: '[hidden]' } },
    })
    expect(redactJson('request', '{"code":"ABCD"}')).toBe('{"code":"[hidden]"}')
  })

  test('ids and references of orders do not look secret, and codes in a sentence do', () => {
    const uuid = '0190f000-1234-7abc-8def-0123456789ab'
    for (const text of [uuid, `order-${uuid}`, 'order-4821', '2026-11-19T10:14:07.000Z', 'EXPIRED', '100.00'])
      expect([text, looksSecret(text)]).toEqual([text, false])
    for (const text of ['Voucher J1NZ-V91P-CXQJ-9YH9 is used', 'to eve@example.com', 'sk_live_x', 'a Bearer x'])
      expect([text, looksSecret(text)]).toEqual([text, true])
  })

  test('a long body is cut', () => {
    const body = { items: Array.from({ length: 2_000 }, (_, i) => ({ amount: i })) }
    const { requestBody } = toEntry({ ...base, body, sent: '' })
    expect(requestBody).toHaveLength(8_193)
    expect(requestBody.endsWith('…')).toBe(true)
  })
})

describe('fields', () => {
  /** Names of the API whose values are not shown, although their names are. */
  const hiddenNames = `accent accounts address ages applicationName attachments avatar batch batches blockchainNetwork
    blockchainNetworkDetail blockExplorerUrl captures cases charges check code codeHash companyName confirmation
    creator cryptocurrencies cryptoVoucherDetails csv currencies currencyAddress currencyData currencyName
    customer data deliveries delivery deposit description email endpoint error events excerpt explorerUrl
    externalID faults fees forEmail from fromCurrency fullName generatedCurrency gift hash hold holds image
    invoiceItems invoices liabilities lines link location locations lockPin logoUrl merchant merchantDescription
    merchantUser message metaData metadata months movements name network networkLogo networkName note otherNames
    outflow payerEmail payments paymentUri phone pin platformContractAddress platformUsernameOrEmail reason
    receipt recipient redeemedVouchers redeemerWalletAddress refused regChannel register registers rows rpcUrl
    rules sale sales secret sender senderAddress senderNumber soldBy source surname taxes taxNumber
    tenderReference title to toCurrency totals tradingName transactions trial url user user_identifier
    userIdentifier username vault voucher voucherCode vouchers walletAddress`.split(/\s+/)

  test('every field of the API is known to be shown or hidden', () => {
    const document = readFileSync(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8')
    const names = new Set<string>()
    JSON.parse(document, (name, value: unknown) => {
      if (name === 'properties' && typeof value === 'object' && value !== null)
        for (const each of Object.keys(value)) names.add(each)
      return value
    })
    const shown = listShownNames()
    expect(names.size).toBeGreaterThan(250)
    expect([...names].filter((name) => !shown.includes(name) && !hiddenNames.includes(name))).toEqual([])
    expect(shown.filter((name) => hiddenNames.includes(name))).toEqual([])
    expect([...shown, ...hiddenNames].filter((name) => !names.has(name))).toEqual([])
  })
})
