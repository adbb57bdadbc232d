import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { parseRate } from '../../base/money.ts'
import { digitsOf, parseExactJson } from '../../http/exact-json.ts'
import { listCurrencies, type SourceRate } from './store.ts'

export type RateSource = {
  readonly name: string
  /** Responds with {"base":"USD","at":"2026-01-01T00:00:00Z","rates":{"NGN":"1530.25",…}}. */
  readonly url: string
}

const timeoutMs = 10_000
const clockSkewMs = 60_000
const bytesMax = 1_000_000

/** Fetches the rates of our currencies from a source. Throws if the response is invalid. */
export async function fetchRates(db: Db, { name, url }: RateSource, clock: Clock): Promise<SourceRate[]> {
  const reply = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
    headers: { accept: 'application/json' },
  })
  const text = await reply.text()
  if (!reply.ok || text.length > bytesMax) throw new Error(`The rate source ${name} responded with ${reply.status}.`)
  const { base, asOf, rates } = readResponse(name, text)
  // A rate from the future would count as recent for too long.
  if (asOf.getTime() > clock().getTime() + clockSkewMs)
    throw new Error(`The rate source ${name} has a time in the future.`)
  const known = new Set((await listCurrencies(db)).map(({ code }) => code))
  if (!known.has(base)) throw new Error(`The base currency ${base} of the rate source ${name} is not in the catalogue.`)
  const ours = [...rates].filter(([code]) => known.has(code) && code !== base)
  return ours.map(([to, rate]) => ({ from: base, to, source: name, rate, asOf }))
}

function readResponse(name: string, text: string): { base: string; asOf: Date; rates: Map<string, string> } {
  const response = parseExactJson(text) as { base?: unknown; at?: unknown; rates?: unknown } | null
  const asOf = new Date(String(response?.at))
  if (
    typeof response?.base !== 'string' ||
    Number.isNaN(asOf.getTime()) ||
    typeof response.rates !== 'object' ||
    response.rates === null
  )
    throw new Error(`The response of the rate source ${name} has the wrong format.`)
  const rates = new Map<string, string>()
  for (const code of Object.keys(response.rates)) {
    // Keep the digits as written: 1530.25 must not pass through a float.
    const rate = digitsOf(response.rates, code) ?? ''
    parseRate(rate)
    rates.set(code, rate)
  }
  return { base: response.base, asOf, rates }
}
