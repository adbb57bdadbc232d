import { inTransaction, type Tx } from '../../base/db.ts'
import { actForUser, withUser } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import type { Money } from '../../base/money.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Posted, Posting } from '../../ledger/journal.ts'
import { readAvailable } from '../../ledger/store.ts'
import { lockUser } from '../../identity/user/store.ts'
import { type Actor, type ActTools, performAct } from './act.ts'
import { walletError } from './errors.ts'
import { refuseAboveDaily } from './exchange-limit.ts'
import { type Quote, quoteFor, quoteFrom, type QuoteTools, refuseStale } from './quote.ts'
import { dropQuote, findQuote, type OpenQuote, saveQuote } from './quote-store.ts'
import { toWireQuote } from './to-wire.ts'
import { walletAccount, walletMove } from './store.ts'

/** The two sides of an exchange. */
export const quoteSides = ['pays', 'gets'] as const

export type QuoteInput = {
  readonly from: string
  readonly to: string
  readonly amount: string
  /** Which side the amount is, by default what the user pays. The rate decides the other one. */
  readonly side?: (typeof quoteSides)[number]
}
export type QuotedExchange = { readonly id: string; readonly quote: Quote }

type ExchangeTools = ActTools & QuoteTools

/** Quotes a rate for two minutes, within the balance and the daily limit. It replaces the user's last quote. */
export async function quoteExchange(
  tools: ExchangeTools,
  userId: string,
  mode: Mode,
  input: QuoteInput,
): Promise<QuotedExchange> {
  const { pool } = tools
  const from = await findCurrency(pool, input.from, 'any', 'from')
  const to = await findCurrency(pool, input.to, 'offered', 'to')
  if (from.code === to.code) throw walletError('WALLET_SAME_CURRENCY', { param: 'to' })
  const quote =
    input.side === 'gets'
      ? await quoteFor(tools, parseAmount(input.amount, to), from)
      : await quoteFrom(tools, parseAmount(input.amount, from), to)
  await refuseAboveBalance(tools, userId, mode, quote.pays)
  return openQuote(tools, userId, quote)
}

async function refuseAboveBalance(
  { pool, clock }: ExchangeTools,
  userId: string,
  mode: Mode,
  pays: Money,
): Promise<void> {
  const bookId = await ensureBook(pool, mode, pays.currency.code)
  const available = await readAvailable(pool, walletAccount(userId, bookId), clock())
  if (pays.minor > available) throw walletError('WALLET_TOO_LOW', { param: 'amount' })
}

async function openQuote(tools: ExchangeTools, userId: string, quote: Quote): Promise<QuotedExchange> {
  const id = tools.newId()
  await inTransaction(tools.pool, async (tx) => {
    await actForUser(tx, userId)
    await lockUser(tx, userId)
    await refuseAboveDaily(tools, tx, userId, quote.pays)
    await saveQuote(tx, userId, id, quote)
  })
  return { id, quote }
}

export type ExchangeInput = { readonly quoteId: string; readonly pin?: string | undefined }

/**
 * Exchanges at the quoted rate, once per quote. If the quote has expired or the market has moved, the error contains a new quote for the
 * same amount.
 */
export async function exchangeMoney(
  tools: ExchangeTools,
  actor: Actor,
  mode: Mode,
  { quoteId, pin }: ExchangeInput,
): Promise<Posted> {
  const { id: userId } = actor.user
  try {
    return await performAct(tools, actor, {
      kind: 'wallet.exchange',
      key: `wallet/${userId}/quote/${quoteId}`,
      requestFingerprint: 'exchange',
      pin,
      build: (tx, _, id) => buildExchange(tools, tx, userId, mode, quoteId, id),
    })
  } catch (error) {
    if (!hasCode(error, 'WALLET_QUOTE_STALE', 'WALLET_RATE_MOVED')) throw error
    throw await renewQuote(tools, userId, quoteId, error)
  }
}

async function buildExchange(
  tools: ExchangeTools,
  tx: Tx,
  userId: string,
  mode: Mode,
  quoteId: string,
  id: string,
): Promise<Posting> {
  const quote = await findQuote(tx, userId, quoteId)
  if (quote === undefined) throw walletError('WALLET_QUOTE_STALE', { param: 'quoteId' })
  const { pays, gets } = await moneyOf(tx, quote)
  const { rate, until } = quote
  await refuseStale({ pool: tx, clock: tools.clock }, { pays, gets, rate, until })
  await refuseAboveDaily(tools, tx, userId, pays)
  await dropQuote(tx, userId)
  const from = walletAccount(userId, await ensureBook(tx, mode, pays.currency.code))
  const to = walletAccount(userId, await ensureBook(tx, mode, gets.currency.code))
  const move = { userId, id, kind: 'exchanged', rate } as const
  return {
    ...payAcross(userId, { account: from, amount: pays.minor }, { account: to, amount: gets.minor }),
    documents: [
      walletMove({ ...move, bookId: from.bookId, amount: -pays.minor }),
      walletMove({ ...move, bookId: to.bookId, amount: gets.minor }),
    ],
  }
}

async function moneyOf(tx: Tx, quote: OpenQuote): Promise<{ pays: Money; gets: Money }> {
  return {
    pays: { minor: quote.pays, currency: await findCurrency(tx, quote.from, 'any') },
    gets: { minor: quote.gets, currency: await findCurrency(tx, quote.to, 'any') },
  }
}

/** Returns the error with a new quote, if the old quote belongs to the user. */
async function renewQuote(tools: ExchangeTools, userId: string, quoteId: string, cause: unknown): Promise<unknown> {
  const old = await withUser(tools.pool, userId, (tx) => findQuote(tx, userId, quoteId))
  if (old === undefined) return cause
  const from = await findCurrency(tools.pool, old.from, 'any')
  const to = await findCurrency(tools.pool, old.to, 'any')
  const renewed = await openQuote(tools, userId, await quoteFrom(tools, { minor: old.pays, currency: from }, to))
  const quote = toWireQuote(renewed.quote, renewed.id)
  return walletError('WALLET_RATE_MOVED', { param: 'quoteId', quote }, cause)
}
