import { inTransaction } from '../base/db.ts'
import { actFor, withEnvironment } from '../base/environment.ts'
import { convert, divide, parseMoney } from '../base/money.ts'
import { depositAddressOf, saltOf } from '../chain/address.ts'
import type { Nodes } from '../chain/trust.ts'
import { chargeTypeOf } from '../charge/price.ts'
import { findCurrency } from '../currency/store.ts'
import { refuseAboveDesk } from '../exchange/desk.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { findPosted } from '../ledger/store.ts'
import { claimKey, findClaim } from '../transaction/claim.ts'
import { retell } from '../transaction/reference.ts'
import { transactionDocument } from '../transaction/store.ts'
import { lockPerson } from '../user/store.ts'
import { timeOfId } from '../base/id.ts'
import { depositError } from './errors.ts'
import { type DepositWish, priceDeposit } from './price.ts'
import { addressDocument, countOpen, type Deposit, depositDocument, findDeposit, findTolerance } from './store.ts'

export type RequestTools = PostTools & { readonly nodes: Nodes }

export type DepositAsk = DepositWish & {
  /** JSON text. */
  readonly metadata: string
  readonly reference: string
  /** Into whose wallet it goes. None: it is the merchant's. */
  readonly userId?: string
}

// A price is a promise, and a longer one costs more: coins move within minutes.
const lifeMs = 15 * 60 * 1_000
// Of a person: each is an address that is watched.
const openMax = 5

/** An address to pay to, watched from before it is told. A repeat gets the same. */
export async function requestDeposit(
  tools: RequestTools,
  caller: MerchantCaller,
  ask: DepositAsk,
): Promise<{ readonly deposit: Deposit; readonly replayed: boolean }> {
  const { pool, clock, newId } = tools
  const { environmentId, mode } = caller
  const { userId } = ask
  const { minor } = parseMoney(ask.amount, await findCurrency(pool, ask.currency, 'any'))
  const claimer = { environmentId, hasSecret: caller.hasSecret || userId !== undefined }
  const key = claimKey(claimer, ask.reference)
  const wish = [String(minor), ask.currency, ask.payWith, ask.networkId]
  const asked = JSON.stringify(['deposit.request', ...wish, ask.metadata])
  try {
    const known = await findClaim(pool, claimer, ask.reference, asked)
    const { journalId, replayed } = known ?? (await open())
    const deposit = await withEnvironment(pool, environmentId, (tx) => findDeposit(tx, { id: journalId }))
    if (deposit === undefined) throw depositError('DEPOSIT_NOT_FOUND')
    return { deposit, replayed }
  } catch (error) {
    throw retell(error, userId === undefined ? 'reference_id' : 'Idempotency-Key')
  }

  async function open() {
    const priced = await priceDeposit(tools, caller, ask)
    const { chain, token, unit, asked: due, pay, price, terms, swap, gas, gasInCoin, toDeposit } = priced
    const [bookId, payBookId] = [
      await ensureBook(pool, mode, due.currency.code),
      await ensureBook(pool, mode, pay.code),
    ]
    if (bookId !== payBookId) await refuseAboveDesk(pool, environmentId, bookId, due.minor)
    const coinBookId = gasInCoin && (await ensureBook(pool, mode, gasInCoin.currency.code))
    const tolerance = divide(toDeposit * (await findTolerance(pool, environmentId)), 1_000_000n * unit, 'down') * unit
    const id = newId()
    const charge = toDeposit - swap
    const { rate } = price
    const chargeInAsked = convert({ minor: charge, currency: pay }, rate, due.currency, 'up').money.minor
    const place = { networkId: chain.id, address: depositAddressOf(chain, id).toLowerCase() }
    const rated = { rateNumerator: rate.numerator, rateDenominator: rate.denominator }
    const expiresAt = new Date(clock().getTime() + lifeMs)
    const documents = [
      transactionDocument({
        ...{ environmentId, id, reference: ask.reference, type: 'WALLET_DEPOSIT', status: 'PENDING', bookId },
        ...{ amount: due.minor, charged: due.minor + chargeInAsked, chargeType: chargeTypeOf(charge, terms) },
        ...{ metadata: ask.metadata, createdAt: timeOfId(id), userId, memberId: caller.memberId },
        byPublicKey: !claimer.hasSecret,
      }),
      addressDocument({ ...place, ownerId: id, salt: saltOf(id) }),
      depositDocument({
        ...place,
        ...rated,
        environmentId,
        userId,
        id,
        token,
        unit,
        payBookId,
        toDeposit,
        charge,
        gas,
        gasInCoin: gasInCoin?.minor ?? 0n,
        coinBookId,
        tolerance,
        expiresAt,
      }),
    ]
    return inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      if (userId !== undefined) {
        await lockPerson(tx, userId)
        // Its first may have been under way, and be the last that he may have.
        const meanwhile = await findPosted(tx, key, asked)
        if (meanwhile !== undefined) return meanwhile
        if ((await countOpen(tx, userId)) >= openMax) throw depositError('DEPOSITS_TOO_MANY')
      }
      const alternatives = [{ transfers: [], documents }] as const
      return postWithin(tx, { id, kind: 'claim.deposit', key, asked, alternatives }, tools)
    })
  }
}
