import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import { parseRate } from '../base/money.ts'
import { digitsOf, parseExactJson } from '../http/exact-json.ts'
import { listCurrencies, type SaidRate } from './store.ts'

export type RateSource = {
  readonly name: string
  /** Answers {"base":"USD","at":"2026-01-01T00:00:00Z","rates":{"NGN":"1530.25",…}}. */
  readonly url: string
}

const timeoutMs = 10_000
const clockSkewMs = 60_000
const bytesMax = 1_000_000

/** Fetches what a source says of our currencies. Throws if the response makes no sense. */
export async function fetchRates(db: Db, { name, url }: RateSource, clock: Clock): Promise<SaidRate[]> {
  const reply = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
    headers: { accept: 'application/json' },
  })
  const text = await reply.text()
  if (!reply.ok || text.length > bytesMax) throw new Error(`The source ${name} answered ${reply.status}.`)
  const { base, saidAt, rates } = readAnswer(name, text)
  // A word from the future would count as fresh for longer than it is.
  if (saidAt.getTime() > clock().getTime() + clockSkewMs) throw new Error(`The source ${name} speaks of the future.`)
  const known = new Set((await listCurrencies(db)).map(({ code }) => code))
  if (!known.has(base)) throw new Error(`The source ${name} speaks of ${base}, which is not in the catalogue.`)
  const ours = [...rates].filter(([code]) => known.has(code) && code !== base)
  return ours.map(([to, rate]) => ({ from: base, to, source: name, rate, saidAt }))
}

function readAnswer(name: string, text: string): { base: string; saidAt: Date; rates: Map<string, string> } {
  const said = parseExactJson(text) as { base?: unknown; at?: unknown; rates?: unknown } | null
  const saidAt = new Date(String(said?.at))
  if (
    typeof said?.base !== 'string' ||
    Number.isNaN(saidAt.getTime()) ||
    typeof said.rates !== 'object' ||
    said.rates === null
  )
    throw new Error(`The source ${name} does not answer in the form that it should.`)
  const rates = new Map<string, string>()
  for (const code of Object.keys(said.rates)) {
    // The digits as they were written: 1530.25 must not pass through a float.
    const rate = digitsOf(said.rates, code) ?? ''
    parseRate(rate)
    rates.set(code, rate)
  }
  return { base: said.base, saidAt, rates }
}
