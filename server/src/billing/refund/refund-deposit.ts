import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import { depositError } from '../../payments/deposit/errors.ts'
import { creditWithin, lockOpenCase } from '../../payments/deposit/resolve.ts'
import { type Case, type Deposit, findCase, findDeposit, lockDeposit } from '../../payments/deposit/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { type Identity, once } from '../../ledger/once.ts'
import { findEnvironment, findShop } from '../../identity/merchant/store.ts'
import {
  type OutflowInput,
  type OutflowTools,
  type RequestedOutflow,
  requestLocked,
  retellOutflow,
} from '../../payments/outflow/request.ts'
import { type LockedShop, lockShop } from '../../payments/outflow/store.ts'
import { hasPaid } from '../../payments/payout/store.ts'
import { transactionError } from '../../payments/transaction/errors.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { findTransaction, type Transaction } from '../../payments/transaction/store.ts'
import type { IssueTools } from '../../vouchers/voucher/issue.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUser, fullNameOf, readIdentifier } from '../../identity/user/store.ts'
import { payRefund } from './deposit-postings.ts'
import { refundError } from './errors.ts'
import {
  type DepositRefund,
  depositRefundDocument,
  findDepositRefund,
  hasRefunded,
  sumWaitingRefunds,
} from './store.ts'

/** The payer, as the merchant names it. */
export type RecipientName =
  | { readonly user: string }
  | { readonly merchantCode: string }
  /** Unknown: whoever opens the private link names an address. The link is sent to the email address, if there is one. */
  | { readonly linkFor: { readonly email: string | undefined } }

export type DepositRefundInput = {
  /** A completed deposit, or an unmatched one. */
  readonly of: { readonly reference: string } | { readonly caseId: string }
  readonly refundReference: string
  /** Major units as the client wrote them. Undefined: everything that is not refunded yet. */
  readonly amount?: string | undefined
  readonly reason: string
  readonly to: RecipientName
}

type RequestedRefund = {
  readonly outflow: RequestedOutflow
  /** The transaction of the refund itself. */
  readonly transaction: Transaction
  readonly currency: CatalogueCurrency
  readonly depositReference: string
  /** The voucher of a refund by link. */
  readonly voucherId: string | null
}

/** What is refunded: the credited amount of a deposit, or an unmatched payment. */
type Source = { readonly deposit: Deposit; readonly found: Case | undefined; readonly currency: CatalogueCurrency }
type Target = Pick<DepositRefund, 'userId' | 'toEnvironmentId' | 'voucherId'> & {
  readonly name: string
  /** Undefined if nobody knows who opens the link: the outflow rule treats it like a voucher. */
  readonly isKnown: boolean | undefined
}

export type RefundDepositTools = OutflowTools & IssueTools

/**
 * Refunds a completed deposit, or returns an unmatched one, to the wallet of a user, the balance of a merchant or a voucher, whose link
 * the merchant passes on. The outflow rule decides like for a payout: it is sent at once, or waits with its amount held.
 */
export async function refundDeposit(
  tools: RefundDepositTools,
  caller: MerchantCaller,
  input: DepositRefundInput,
): Promise<RequestedRefund> {
  const { pool } = tools
  const { environmentId } = caller
  try {
    const source = await withEnvironment(pool, environmentId, (tx) => findSource(tx, environmentId, input))
    const { deposit, found, currency } = source
    const part = input.amount === undefined ? 'rest' : String(parseMoney(input.amount, currency).minor)
    const identity = {
      key: referenceKey(environmentId, input.refundReference),
      requestFingerprint: JSON.stringify([
        'deposit.refund',
        deposit.id,
        found?.id ?? '',
        part,
        input.reason,
        ...nameOf(input.to),
      ]),
    }
    const outflow = await once(tools, identity, {
      retell: ({ journalId }) => retellOutflow(tools, environmentId, journalId),
      prepare: async () => {
        const target = await findTarget(tools, caller, input.to)
        return {
          // The shop is locked before the deposit, so that concurrent refunds of a deposit are counted one after the other.
          lock: async (tx) => {
            await actFor(tx, environmentId)
            return lockShop(tx, environmentId)
          },
          post: (tx, shop) => requestRefund(tools, tx, caller, shop, identity, input, source, target),
        }
      },
    })
    return await withEnvironment(pool, environmentId, async (tx) => {
      const transaction = await findTransaction(tx, environmentId, input.refundReference)
      const made = transaction && (await findDepositRefund(tx, environmentId, transaction.id))
      if (transaction === undefined || made === undefined) throw new Error('A requested refund is missing.')
      const { depositReference, voucherId } = made
      return { outflow, transaction, currency, depositReference, voucherId }
    })
  } catch (error) {
    throw toApiError(error, 'refundReferenceId', (cause) =>
      refundError('REFUND_BALANCE_TOO_LOW', { param: 'amount' }, cause),
    )
  }
}

function nameOf(to: RecipientName): string[] {
  if ('linkFor' in to) return ['link', to.linkFor.email ?? '']
  return 'user' in to ? ['user', to.user.toLowerCase()] : ['merchant', to.merchantCode]
}

async function findSource(tx: Tx, environmentId: string, { of }: DepositRefundInput): Promise<Source> {
  if ('caseId' in of) {
    const found = await findCase(tx, of.caseId)
    const deposit = found && (await findDeposit(tx, { id: found.depositId }))
    if (found === undefined || deposit === undefined) throw depositError('CASE_NOT_FOUND')
    return { deposit, found, currency: await findCurrency(tx, found.currency, 'any') }
  }
  const original = await findTransaction(tx, environmentId, of.reference)
  if (original === undefined) throw transactionError('TRANSACTION_NOT_FOUND')
  const deposit = await findDeposit(tx, { id: original.id })
  if (deposit === undefined) throw refundError('REFUND_RECIPIENT_FIXED')
  return { deposit, found: undefined, currency: await findCurrency(tx, deposit.currency, 'any') }
}

async function findTarget(
  { pool, newId }: OutflowTools,
  { environmentId, mode }: MerchantCaller,
  to: RecipientName,
): Promise<Target> {
  const isKnownTo = (recipientId: string): Promise<boolean> =>
    withEnvironment(
      pool,
      environmentId,
      async (tx) =>
        (await hasPaid(tx, environmentId, recipientId)) || (await hasRefunded(tx, environmentId, recipientId)),
    )
  if ('linkFor' in to)
    return { userId: null, toEnvironmentId: null, voucherId: newId(), name: to.linkFor.email ?? '', isKnown: undefined }
  if ('merchantCode' in to) {
    const toEnvironmentId = await findEnvironment(pool, to.merchantCode, mode)
    if (toEnvironmentId === undefined) throw refundError('REFUND_MERCHANT_UNKNOWN', { param: 'merchantCode' })
    if (toEnvironmentId === environmentId) throw refundError('REFUND_TO_YOURSELF', { param: 'merchantCode' })
    const { name } = await findShop(pool, toEnvironmentId)
    return { userId: null, toEnvironmentId, voucherId: null, name, isKnown: await isKnownTo(toEnvironmentId) }
  }
  // Not by phone: see findRecipient in payments/wallet/send.ts.
  const isPhone = readIdentifier(to.user).by === 'phone'
  const user = isPhone ? undefined : await findUser(pool, mode, to.user)
  const isKnown = user !== undefined && (await isKnownTo(user.id))
  // Users who are not discoverable are not found by merchants that never paid them.
  if (user === undefined || (!user.isDiscoverable && !isKnown))
    throw userError('USER_NOT_FOUND', { param: 'platformUsernameOrEmail' })
  return { userId: user.id, toEnvironmentId: null, voucherId: null, name: fullNameOf(user), isKnown }
}

async function requestRefund(
  tools: RefundDepositTools,
  tx: Tx,
  caller: MerchantCaller,
  shop: LockedShop,
  identity: Identity,
  input: DepositRefundInput,
  { deposit, found, currency }: Source,
  { userId, toEnvironmentId, voucherId, name, isKnown }: Target,
): Promise<RequestedOutflow> {
  const { environmentId } = caller
  if (deposit.userId !== null) throw refundError('REFUND_OF_USER')
  const { bookId, amount } =
    found === undefined
      ? { bookId: deposit.bookId, amount: await readPart(tx, environmentId, deposit.id, input, currency) }
      : await takeCase(tools, tx, found.id)
  const { refundReference: reference, reason: note } = input
  const recipient = { depositId: deposit.id, caseId: found?.id ?? null, userId, toEnvironmentId, voucherId, note }
  const refundOf = (id: string): DepositRefund => ({
    ...{ ...recipient, environmentId, id, reference, bookId, amount },
    ...{ depositReference: deposit.reference, currency: currency.code },
  })
  const outflow: OutflowInput = {
    ...{ kind: 'refund', reference, bookId, amount, currency, recipient: name },
    ...(isKnown !== undefined && { isKnownRecipient: isKnown }),
    from: { bookId, ownerId: environmentId, kind: 'merchant' },
    transaction: { type: 'REFUND', metadata: note, userId: userId ?? undefined, refundOf: deposit.id },
    documents: (id) => [depositRefundDocument({ ...recipient, environmentId, id, createdAt: timeOfId(id) })],
    // The email address of a link, for the sender after a wait.
    request: voucherId === null ? {} : { email: name },
  }
  return requestLocked(tools, tx, caller, shop, identity, outflow, (inner, id) =>
    payRefund(tools, inner, caller, refundOf(id), {
      journalId: id,
      sequence: 1,
      email: voucherId === null ? '' : name,
    }),
  )
}

/** At most what the deposit credited, less refunds that were made or wait. Locks the deposit. */
async function readPart(
  tx: Tx,
  environmentId: string,
  depositId: string,
  { amount: text }: DepositRefundInput,
  currency: CatalogueCurrency,
): Promise<bigint> {
  const deposit = await lockDeposit(tx, depositId)
  const original = deposit && (await findTransaction(tx, environmentId, deposit.reference))
  if (deposit === undefined || original === undefined || !['COMPLETED', 'REFUNDED'].includes(original.status))
    throw refundError('REFUND_IMPOSSIBLE')
  const left = deposit.credited - original.refunded - (await sumWaitingRefunds(tx, environmentId, depositId))
  const amount = text === undefined ? left : parseAmount(text, currency).minor
  if (left <= 0n || amount > left)
    throw refundError('REFUND_TOO_LARGE', { param: 'amount', maxAmount: wireMoney(left > 0n ? left : 0n, currency) })
  return amount
}

/** Moves an unmatched deposit to the merchant's balance, from which it is returned or held in the same commit. */
async function takeCase(tools: OutflowTools, tx: Tx, id: string): Promise<Pick<Case, 'bookId' | 'amount'>> {
  const open = await lockOpenCase(tx, id)
  await creditWithin(tools, tx, open, 'returned')
  return open.found
}
