import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor, actForUser, withEnvironment, withUser } from '../../base/environment.ts'
import { hasCode } from '../../base/errors.ts'
import { dueBy, processDue } from '../../base/jobs.ts'
import type { Money } from '../../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { Price } from '../../catalogue/exchange/price.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Event } from '../../ledger/event.ts'
import type { Posted } from '../../ledger/journal.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { toTransactionPayload, type TransactionPayload } from '../transaction/events.ts'
import type { TransactionStatus } from '../transaction/status.ts'
import { moveTransaction, setUser } from '../transaction/store.ts'
import { type Actor, type ActTools, performAct } from '../wallet/act.ts'
import { refuseAboveDaily } from '../wallet/exchange-limit.ts'
import { openQuote, type Quote, quoteFor, type QuoteTools, refuseStale, sealQuote } from '../wallet/quote.ts'
import { walletError } from '../wallet/errors.ts'
import { toWireQuote } from '../wallet/to-wire.ts'
import { listBalances, walletAccount, walletMove } from '../wallet/store.ts'
import { paymentError } from './errors.ts'
import { paymentEvent } from './events.ts'
import { blockMerchant, endRequest, findLinkOwner, lockRequest, findRequest, type PaymentRequest } from './store.ts'

export type AnswerTools = ActTools & QuoteTools

/** A quote from one of the payer's balances. */
type PaymentOffer = Quote & { readonly available: bigint }

/** Quotes a payment from each currency that the payer holds. */
export async function offerPayments(
  tools: AnswerTools,
  mode: Mode,
  userId: string,
  { currency, amount }: PaymentRequest,
): Promise<PaymentOffer[]> {
  const catalogue = await readCurrencies(tools.pool)
  const gets: Money = { minor: amount, currency: pickCurrency(catalogue, currency, 'any') }
  const balances = await listBalances(tools.pool, mode, userId)
  const offers = balances.map(async ({ currency: code, available }) => {
    // Currencies without a rate are left out.
    const quote = await quoteFor(tools, gets, pickCurrency(catalogue, code, 'any')).catch(() => undefined)
    return quote === undefined ? [] : [{ ...quote, available }]
  })
  return (await Promise.all(offers)).flat()
}

export type Authorisation = {
  readonly id: string
  /** Set if the payer pays in another currency than requested. */
  readonly quoteId?: string | undefined
  readonly pin?: string | undefined
}

/** Pays a payment request, once, also with retries and concurrent calls. */
export async function authorisePayment(
  tools: AnswerTools,
  actor: Actor,
  mode: Mode,
  input: Authorisation,
): Promise<Posted> {
  try {
    return await pay(tools, actor, mode, input)
  } catch (error) {
    // Of a request by link, which another user has paid.
    if (hasCode(error, 'REFERENCE_TAKEN')) throw paymentError('PAYMENT_ENDED', {}, error)
    if (!hasCode(error, 'WALLET_QUOTE_STALE', 'WALLET_RATE_MOVED')) throw error
    throw await renewOffer(tools, actor.user.id, mode, input, error)
  }
}

/** The refusal with a new price in the same currency, if the old quote was the user's own. */
async function renewOffer(
  tools: AnswerTools,
  userId: string,
  mode: Mode,
  input: Authorisation,
  cause: unknown,
): Promise<unknown> {
  const request = await findPayable(tools, userId, mode, input.id)
  if (request === undefined || input.quoteId === undefined) return cause
  const purpose = `payment/${request.id}`
  const { pays } = openQuote(tools, userId, purpose, input.quoteId)
  const gets = { minor: request.amount, currency: await findCurrency(tools.pool, request.currency, 'any') }
  const renewed = await quoteFor(tools, gets, await findCurrency(tools.pool, pays.currency.code, 'any'))
  const quote = toWireQuote(renewed, sealQuote(tools, userId, purpose, renewed))
  return walletError('WALLET_RATE_MOVED', { param: 'quoteId', quote }, cause)
}

function pay(tools: AnswerTools, actor: Actor, mode: Mode, input: Authorisation): Promise<Posted> {
  return performAct(tools, actor, {
    kind: 'payment.authorise',
    key: `payment/${input.id}/authorise`,
    requestFingerprint: actor.user.id,
    pin: input.pin,
    build: async (tx, user, id) => {
      const request = await lockOpen(tools, tx, { userId: user.id, id: input.id, mode })
      const currency = await findCurrency(tx, request.currency, 'any')
      const due = { minor: request.amount, currency }
      const quote = await readQuote(tools, tx, user.id, request, input.quoteId)
      const pays = quote?.pays ?? due
      const fromBookId = await ensureBook(tx, mode, pays.currency.code)
      await endRequest(tx, request.id, tools.clock(), {
        userId: user.id,
        bookId: fromBookId,
        amount: pays.minor,
        price: quote?.priceNow,
      })
      await moveTransaction(tx, request, 'COMPLETED', tools.clock(), id)
      if (request.userId === null) await setUser(tx, request, user.id)
      const from = { account: walletAccount(user.id, fromBookId), amount: pays.minor }
      const to = { bookId: request.bookId, ownerId: request.environmentId, kind: 'merchant' } as const
      const move = { userId: user.id, id, bookId: fromBookId, kind: 'paid', amount: -pays.minor } as const
      const about = { withName: request.merchant, note: request.note, ...(quote && { rate: quote.price.rate }) }
      return {
        ...payAcross(request.environmentId, from, { account: to, amount: request.amount }),
        documents: [walletMove({ ...move, ...about })],
        events: [
          paymentEvent(
            'payment.completed',
            aboutOf(request),
            toTransactionPayload({ ...request, userId: user.id }, 'PAYMENT_REQUEST', currency),
          ),
        ],
      }
    },
  })
}

/** The accepted quote, and the price at payment time, with which a refund compares. */
type PayingQuote = Quote & { readonly priceNow: Price }

/** The accepted quote if the currency is converted. Refused once it has expired or the market has moved. */
async function readQuote(
  tools: AnswerTools,
  tx: Tx,
  userId: string,
  request: PaymentRequest,
  quoteId: string | undefined,
): Promise<PayingQuote | undefined> {
  if (quoteId === undefined) return undefined
  const quote = openQuote(tools, userId, `payment/${request.id}`, quoteId)
  if (quote.pays.currency.code === request.currency) return undefined
  const priceNow = await refuseStale({ pool: tx, clock: tools.clock }, { ...quote, rate: quote.price.rate })
  await refuseAboveDaily(tools, tx, userId, quote.pays)
  return { ...quote, priceNow }
}

/** A request to the user, or one by link in the user's mode, which every user may pay. */
export async function findPayable(
  { pool }: Pick<AnswerTools, 'pool'>,
  userId: string,
  mode: Mode,
  id: string,
): Promise<PaymentRequest | undefined> {
  const own = await withUser(pool, userId, (tx) => findRequest(tx, { id }))
  if (own !== undefined) return own
  const environmentId = await findLinkOwner(pool, id)
  if (environmentId === undefined) return undefined
  const found = await withEnvironment(pool, environmentId, (tx) => findRequest(tx, { id }))
  return found?.mode === mode && found.userId === null ? found : undefined
}

/**
 * Locks a request to the user, if it is still open. From here on the transaction acts for its merchant. With a mode,
 * requests by link in this mode count too.
 */
async function lockOpen(
  { clock }: AnswerTools,
  tx: Tx,
  by: { readonly userId: string; readonly id: string; readonly mode?: Mode },
): Promise<PaymentRequest> {
  const found = await findRequest(tx, { id: by.id })
  const environmentId = found?.environmentId ?? (by.mode && (await findLinkOwner(tx, by.id)))
  if (environmentId === undefined) throw paymentError('PAYMENT_NOT_FOUND')
  await actFor(tx, environmentId)
  const request = await lockRequest(tx, by.id)
  if (request === undefined) throw paymentError('PAYMENT_NOT_FOUND')
  const { userId, mode, endedAt, expiresAt, status } = request
  const isByLink = userId === null && mode === by.mode
  if (userId !== by.userId && !isByLink) throw paymentError('PAYMENT_NOT_FOUND')
  if (endedAt !== null || expiresAt <= clock()) throw paymentError('PAYMENT_ENDED', { status })
  return request
}

/** Declines a request. Needs no PIN, since no money moves. */
export async function declinePayment(tools: AnswerTools, userId: string, id: string, blocks: boolean): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    await actForUser(tx, userId)
    const request = await lockOpen(tools, tx, { userId, id })
    if (blocks) await blockMerchant(tx, userId, request.merchantId, tools.clock())
    await end(tools, tx, request, 'FAILED', (money) => paymentEvent('payment.declined', aboutOf(request), money))
  })
}

/** Cancels a request that the merchant withdrew or that expired. Returns one that has already ended unchanged. */
export async function cancelPayment(
  tools: AnswerTools,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
  reason: 'withdrawn' | 'expired',
): Promise<PaymentRequest> {
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const found = await findRequest(tx, { environmentId, ...by })
    const request = found && (await lockRequest(tx, found.id))
    if (request?.environmentId !== environmentId) throw paymentError('PAYMENT_NOT_FOUND')
    if (request.endedAt !== null) return request
    await end(tools, tx, request, 'CANCELED', (money) =>
      paymentEvent('payment.canceled', aboutOf(request), { ...money, reason }),
    )
    return { ...request, status: 'CANCELED' }
  })
}

/** Cancels an unpaid request. Returns false if it was paid. */
export async function cancelUnpaidRequest(tools: AnswerTools, tx: Tx, id: string): Promise<boolean> {
  const request = await lockRequest(tx, id)
  if (request === undefined || !['PENDING', 'CANCELED', 'FAILED'].includes(request.status)) return false
  if (request.endedAt === null)
    await end(tools, tx, request, 'CANCELED', (money) =>
      paymentEvent('payment.canceled', aboutOf(request), { ...money, reason: 'withdrawn' }),
    )
  return true
}

const atOnce = 100

/** Cancels requests that expired without an answer. */
export function createExpirePayments(tools: AnswerTools): () => Promise<boolean> {
  return processDue(tools.clock, atOnce, dueBy(tools.pool, 'due_payment_requests'), ({ environmentId, id }) =>
    cancelPayment(tools, environmentId, { id }, 'expired'),
  )
}

async function end(
  tools: AnswerTools,
  tx: Tx,
  request: PaymentRequest,
  status: TransactionStatus,
  eventOf: (data: TransactionPayload) => Event,
): Promise<void> {
  const at = tools.clock()
  await endRequest(tx, request.id, at)
  await moveTransaction(tx, request, status, at)
  const currency = await findCurrency(tx, request.currency, 'any')
  await publishEvents(tx, [eventOf(toTransactionPayload(request, 'PAYMENT_REQUEST', currency))], tools)
}

// A payment request has one event only: its end.
function aboutOf({ environmentId, id }: PaymentRequest): Pick<Event, 'environmentId' | 'about'> {
  return { environmentId, about: { id, sequence: 1 } }
}
