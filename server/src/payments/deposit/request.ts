import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { convert, divide, parseMoney } from '../../base/money.ts'
import { depositAddressOf, saltOf } from '../../chain/address.ts'
import type { Nodes } from '../../chain/trust.ts'
import { chargeTypeOf } from '../../catalogue/charge/price.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { refuseAboveDesk } from '../../catalogue/exchange/desk.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Document } from '../../ledger/document.ts'
import type { Posted } from '../../ledger/journal.ts'
import { type Identity, once, postNew } from '../../ledger/once.ts'
import { claimKey, findClaim } from '../transaction/claim.ts'
import { toApiError } from '../transaction/reference.ts'
import { transactionDocument } from '../transaction/store.ts'
import { lockUser } from '../../identity/user/store.ts'
import { timeOfId } from '../../base/id.ts'
import { depositError } from './errors.ts'
import { type DepositInput, merchantFields, priceDeposit, type PricedDeposit } from './price.ts'
import { addressDocument, countOpen, type Deposit, depositDocument, findDeposit, findTolerance } from './store.ts'

export type RequestTools = PostTools & { readonly nodes: Nodes }

export type DepositRequestInput = DepositInput & {
  /** JSON text. */
  readonly metadata: string
  readonly reference: string
  /** The user whose wallet is credited. Undefined: the merchant's balance. */
  readonly userId?: string
}

export type RequestedDeposit = { readonly deposit: Deposit; readonly replayed: boolean }

// A price is a promise, and prices move within minutes: a longer promise would cost more.
const lifeMs = 15 * 60 * 1_000
// Per user, since every address is watched for ever.
const openMax = 5

/** Creates a deposit address, which is watched before it is returned. A retry returns the same deposit. */
export async function requestDeposit(
  tools: RequestTools,
  caller: MerchantCaller,
  input: DepositRequestInput,
): Promise<RequestedDeposit> {
  const { pool } = tools
  const { environmentId } = caller
  const { userId, fields = merchantFields } = input
  const { minor } = parseMoney(input.amount, await findCurrency(pool, input.currency, 'any', fields.currency))
  const claimer = { environmentId, hasSecret: caller.hasSecret || userId !== undefined }
  const terms = [String(minor), input.currency, input.payWith, input.networkId]
  // Absent metadata was '{}' once: a retry of such a request is still recognised.
  const metadata = input.metadata === '' && userId === undefined ? '{}' : input.metadata
  const identity = {
    key: claimKey(claimer, input.reference),
    requestFingerprint: JSON.stringify(['deposit.request', ...terms, metadata]),
  }
  try {
    const { journalId, replayed } = await once(tools, identity, {
      find: () => findClaim(pool, claimer, input.reference, identity.requestFingerprint),
      retell: (posted) => posted,
      prepare: () => prepareDeposit(tools, caller, input, identity, !claimer.hasSecret),
    })
    const deposit = await withEnvironment(pool, environmentId, (tx) => findDeposit(tx, { id: journalId }))
    if (deposit === undefined) throw depositError('DEPOSIT_NOT_FOUND')
    return { deposit, replayed }
  } catch (error) {
    throw toApiError(error, userId === undefined ? 'reference_id' : 'Idempotency-Key')
  }
}

/** Prices a deposit, and returns the transaction that opens it. A user has a limited number of open deposits. */
async function prepareDeposit(
  tools: RequestTools,
  caller: MerchantCaller,
  input: DepositRequestInput,
  identity: Identity,
  byPublicKey: boolean,
): Promise<{ lock: (tx: Tx) => Promise<void>; post: (tx: Tx) => Promise<Posted> }> {
  const { userId } = input
  const priced = await priceDeposit(tools, caller, input)
  const { id, documents } = await documentsOf(tools, caller, input, byPublicKey, priced)
  return {
    lock: async (tx) => {
      await actFor(tx, caller.environmentId)
      if (userId !== undefined) await lockUser(tx, userId)
    },
    post: async (tx) => {
      if (userId !== undefined && (await countOpen(tx, userId)) >= openMax) throw depositError('DEPOSITS_TOO_MANY')
      const alternatives = [{ transfers: [], documents }] as const
      return postNew(tx, { id, kind: 'claim.deposit', ...identity, alternatives }, tools)
    },
  }
}

/** The rows of a new deposit: its transaction, its address and its price. */
async function documentsOf(
  { pool, clock, newId }: RequestTools,
  { environmentId, mode, memberId }: MerchantCaller,
  { reference, metadata, userId }: DepositRequestInput,
  byPublicKey: boolean,
  priced: PricedDeposit,
): Promise<{ readonly id: string; readonly documents: Document[] }> {
  const { chain, token, unit, due, pay, price, terms, swap, gas, gasInCoin, toDeposit } = priced
  const bookId = await ensureBook(pool, mode, due.currency.code)
  const payBookId = await ensureBook(pool, mode, pay.code)
  if (bookId !== payBookId) await refuseAboveDesk(pool, environmentId, bookId, due.minor)
  const coinBookId = gasInCoin && (await ensureBook(pool, mode, gasInCoin.currency.code))
  const tolerance = divide(toDeposit * (await findTolerance(pool, environmentId)), 1_000_000n * unit, 'down') * unit
  const id = newId()
  const charge = toDeposit - swap
  const { rate } = price
  const chargeInDue = convert({ minor: charge, currency: pay }, rate, due.currency, 'up').money.minor
  const place = { networkId: chain.id, address: depositAddressOf(chain, id).toLowerCase() }
  const transaction = transactionDocument({
    environmentId,
    id,
    reference,
    type: 'WALLET_DEPOSIT',
    status: 'PENDING',
    bookId,
    amount: due.minor,
    charged: due.minor + chargeInDue,
    chargeType: chargeTypeOf(charge, terms),
    metadata,
    createdAt: timeOfId(id),
    userId,
    memberId,
    byPublicKey,
  })
  const deposit = depositDocument({
    ...place,
    rateNumerator: rate.numerator,
    rateDenominator: rate.denominator,
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
    expiresAt: new Date(clock().getTime() + lifeMs),
  })
  return { id, documents: [transaction, addressDocument({ ...place, ownerId: id, salt: saltOf(id) }), deposit] }
}
