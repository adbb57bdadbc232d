import type { Tx } from '../../base/db.ts'
import { formatMoney } from '../../base/money.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { Journal } from '../../ledger/journal.ts'
import { findPosted } from '../../ledger/store.ts'
import { requesterOf } from '../../payments/outflow/finish.ts'
import {
  admit,
  holdOutflow,
  isWaiting,
  type OutflowInput,
  readStatus,
  type RequestedOutflow,
} from '../../payments/outflow/request.ts'
import { lockShop, type Outflow } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { voucherError } from '../code/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired } from '../voucher/expiry.ts'
import { type Issuer, type IssueTools, readIssued, type RequestedVoucher } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { rulesOf } from '../voucher/rules.ts'
import { lockVoucher, markReplaced, type Voucher, voucherAccount } from '../voucher/store.ts'
import { lifecycleError } from './errors.ts'
import { lockBalance, moveOut, refuseClosed, withOwnVoucher, refuseOnchain } from './move-out.ts'
import { moveGift } from './store.ts'

export type ReplaceInput = {
  readonly id: string
  readonly reference: string
  readonly lockPin: string | undefined
}

type Replaced = RequestedOutflow & { readonly balance: bigint; readonly currency: CatalogueCurrency }

/**
 * Replaces a lost voucher: its code stops working, and its balance moves to a new voucher with the same terms. The
 * new code gives access to the value, so this is an outflow like a new voucher.
 */
export async function replaceVoucher(
  tools: IssueTools,
  issuer: Issuer,
  input: ReplaceInput,
): Promise<RequestedVoucher> {
  const { environmentId } = issuer
  const key = referenceKey(environmentId, input.reference)
  const requestFingerprint = JSON.stringify(['voucher.replace', input.id, input.lockPin !== undefined])
  try {
    await refuseOnchain(tools, environmentId, input.id, 'replacement')
    const { balance, currency, ...requested } = await withOwnVoucher(tools, environmentId, input.id, (tx, voucher) =>
      replaceOrWait(tools, tx, issuer, input, voucher, { key, requestFingerprint }),
    )
    if (requested.status !== 'done') return { pending: requested, amount: { minor: balance, currency } }
    return await readIssued(tools, issuer, { journalId: requested.id, replayed: requested.replayed })
  } catch (error) {
    throw toApiError(error, 'referenceId')
  }
}

async function replaceOrWait(
  tools: IssueTools,
  tx: Tx,
  issuer: Issuer,
  input: ReplaceInput,
  voucher: Voucher,
  identity: Pick<Journal, 'key' | 'requestFingerprint'>,
): Promise<Replaced> {
  const { environmentId } = issuer
  const shop = await lockShop(tx, environmentId)
  const currency = await findCurrency(tx, voucher.currency, 'any')
  const known = await findPosted(tx, identity.key, identity.requestFingerprint)
  if (known !== undefined) {
    const status = await readStatus(tx, environmentId, known.journalId)
    return { ...status, replayed: true, balance: voucher.balance, currency }
  }
  const old = await lockReplaceable(tools, tx, voucher, input)
  const outflow: OutflowInput = {
    kind: 'replacement',
    reference: input.reference,
    bookId: old.bookId,
    amount: old.balance,
    currency,
    from: undefined,
    recipient: old.recipient,
    request: { voucherId: old.id, lockPin: input.lockPin },
  }
  const admission = await admit(tools, tx, issuer, shop, outflow)
  const id = tools.newId()
  const requested = { id, replayed: false, balance: old.balance, currency }
  if (isWaiting(admission)) {
    await holdOutflow(tools, tx, issuer, identity, outflow, admission, id)
    return { ...requested, status: 'waiting' }
  }
  await move(tools, tx, issuer, input, old, id, { id, ...identity })
  return { ...requested, status: 'done' }
}

/** Makes an approved replacement with the balance of now. The new voucher has the outflow's id. */
export async function sendReplacement(
  tools: IssueTools,
  tx: Tx,
  outflow: Outflow,
  request: object,
  journalId: string,
): Promise<undefined> {
  const { voucherId, lockPin } = request as { voucherId: string; lockPin: string | undefined }
  const voucher = await lockVoucher(tx, voucherId, tools.clock())
  if (voucher === undefined) throw lifecycleError('VOUCHER_UNKNOWN')
  const input = { id: voucherId, reference: outflow.reference, lockPin }
  const old = await lockReplaceable(tools, tx, voucher, input)
  // A refund since the request was not approved.
  if (old.balance > outflow.amount) throw lifecycleError('VOUCHER_GREW')
  const identity = { id: journalId, key: `outflow/${outflow.id}/send`, requestFingerprint: '' }
  await move(tools, tx, await requesterOf(tx, outflow), input, old, outflow.id, identity)
}

/** The voucher with its balance locked, if it can be replaced. */
async function lockReplaceable(tools: IssueTools, tx: Tx, voucher: Voucher, input: ReplaceInput): Promise<Voucher> {
  refuseClosed(voucher)
  const old = await lockBalance(tools, tx, voucher)
  checkReplaceable(old, input, tools.clock())
  return old
}

async function move(
  tools: IssueTools,
  tx: Tx,
  { environmentId }: Issuer,
  input: ReplaceInput,
  old: Voucher,
  id: string,
  identity: Pick<Journal, 'id' | 'key' | 'requestFingerprint'>,
): Promise<void> {
  // The new voucher belongs to no batch, and its code is always one of ours.
  const recipient = { kind: old.recipientKind, name: old.recipient }
  const blank = {
    ...old,
    amount: old.balance,
    recipient,
    lockPin: input.lockPin,
    vault: undefined,
    rules: rulesOf(old),
  }
  const { account: to, documents } = await mintVoucher(tools, blank, id)
  const amount = formatMoney({ minor: old.balance, currency: await findCurrency(tx, old.currency, 'any') })
  const issued = { voucherId: id, amount, currency: old.currency, reference: input.reference, replaces: old.id }
  const events = [
    voucherEvent(
      'voucher.replaced',
      { environmentId, about: voucherAccount(old) },
      { voucherId: old.id, replacedBy: id },
    ),
    voucherEvent('voucher.issued', { environmentId, about: to }, issued),
  ]
  const replacement = { kind: 'replacement', to, state: 'closed', reason: '', identity } as const
  await moveOut(tools, tx, old, { ...replacement, documents, events })
  await markReplaced(tx, old, id)
  await moveGift(tx, old, id)
}

function checkReplaceable(old: Voucher, { lockPin }: ReplaceInput, at: Date): void {
  if (isExpired(old, at)) throw voucherError('VOUCHER_EXPIRED')
  if (old.balance === 0n) throw voucherError('VOUCHER_EMPTY')
  if (old.hasPin && lockPin === undefined) throw lifecycleError('PIN_NEEDED', { param: 'lockPin' })
}
