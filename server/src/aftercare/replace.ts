import type { Tx } from '../base/db.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, findCurrency } from '../currency/store.ts'
import type { Journal } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { requesterOf } from '../outflow/finish.ts'
import {
  admit,
  holdOutflow,
  isWaiting,
  type OutflowAsk,
  readStatus,
  type RequestedOutflow,
} from '../outflow/request.ts'
import { lockShop, type Outflow } from '../outflow/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { voucherError } from '../voucher/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired } from '../voucher/expiry.ts'
import { type Issuer, type IssueTools, readIssued, type RequestedVoucher } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { lockVoucher, markReplaced, type Voucher, voucherAccount } from '../voucher/store.ts'
import { aftercareError } from './errors.ts'
import { holdStill, moveOut, refuseClosed, withOwnVoucher } from './move-out.ts'

export type ReplaceAsk = {
  readonly id: string
  readonly reference: string
  readonly lockPin: string | undefined
}

type Replaced = RequestedOutflow & { readonly balance: bigint; readonly currency: CatalogueCurrency }

/**
 * For a voucher that was lost: its code stops working, and what is left moves to a new one under the same terms. Whoever gets the new
 * code gets its value, so it is an outflow like a new voucher.
 */
export async function replaceVoucher(tools: IssueTools, issuer: Issuer, ask: ReplaceAsk): Promise<RequestedVoucher> {
  const { environmentId } = issuer
  const key = referenceKey(environmentId, ask.reference)
  const asked = JSON.stringify(['voucher.replace', ask.id, ask.lockPin !== undefined])
  try {
    const { balance, currency, ...requested } = await withOwnVoucher(tools, environmentId, ask.id, (tx, voucher) =>
      replaceOrWait(tools, tx, issuer, ask, voucher, { key, asked }),
    )
    if (requested.status !== 'done') return { pending: requested, amount: { minor: balance, currency } }
    return await readIssued(tools, issuer, { journalId: requested.id, replayed: requested.replayed })
  } catch (error) {
    throw retell(error, 'referenceId')
  }
}

async function replaceOrWait(
  tools: IssueTools,
  tx: Tx,
  issuer: Issuer,
  ask: ReplaceAsk,
  voucher: Voucher,
  identity: Pick<Journal, 'key' | 'asked'>,
): Promise<Replaced> {
  const { environmentId } = issuer
  const shop = await lockShop(tx, environmentId)
  const currency = await findCurrency(tx, voucher.currency, 'any')
  const known = await findPosted(tx, identity.key, identity.asked)
  if (known !== undefined) {
    const status = await readStatus(tx, environmentId, known.journalId)
    return { ...status, replayed: true, balance: voucher.balance, currency }
  }
  const old = await holdReplaceable(tools, tx, voucher, ask)
  const outflow: OutflowAsk = {
    ...{ kind: 'replacement', reference: ask.reference, bookId: old.bookId, amount: old.balance, currency },
    ...{ from: undefined, recipient: old.recipient, request: { voucherId: old.id, lockPin: ask.lockPin } },
  }
  const admission = await admit(tools, tx, issuer, shop, outflow)
  const id = tools.newId()
  const requested = { id, replayed: false, balance: old.balance, currency }
  if (isWaiting(admission)) {
    await holdOutflow(tools, tx, issuer, identity, outflow, admission, id)
    return { ...requested, status: 'waiting' }
  }
  await move(tools, tx, issuer, ask, old, id, { id, ...identity })
  return { ...requested, status: 'done' }
}

/** A replacement that waited is made, of what is left by then. The new voucher has the outflow's id. */
export async function sendReplacement(
  tools: IssueTools,
  tx: Tx,
  outflow: Outflow,
  request: object,
  journalId: string,
): Promise<undefined> {
  const { voucherId, lockPin } = request as { voucherId: string; lockPin: string | undefined }
  const voucher = await lockVoucher(tx, voucherId, tools.clock())
  if (voucher === undefined) throw aftercareError('VOUCHER_UNKNOWN')
  const ask = { id: voucherId, reference: outflow.reference, lockPin }
  const old = await holdReplaceable(tools, tx, voucher, ask)
  // What was refunded to it meanwhile was not approved.
  if (old.balance > outflow.amount) throw aftercareError('VOUCHER_GREW')
  const identity = { id: journalId, key: `outflow/${outflow.id}/send`, asked: '' }
  await move(tools, tx, await requesterOf(tx, outflow), ask, old, outflow.id, identity)
}

/** The voucher as it is while nobody can redeem it. */
async function holdReplaceable(tools: IssueTools, tx: Tx, voucher: Voucher, ask: ReplaceAsk): Promise<Voucher> {
  refuseClosed(voucher)
  const old = await holdStill(tools, tx, voucher)
  checkReplaceable(old, ask, tools.clock())
  return old
}

async function move(
  tools: IssueTools,
  tx: Tx,
  { environmentId }: Issuer,
  ask: ReplaceAsk,
  old: Voucher,
  id: string,
  identity: Pick<Journal, 'id' | 'key' | 'asked'>,
): Promise<void> {
  // Not its batch, nor its form: the new code is one of ours.
  const recipient = { kind: old.recipientKind, name: old.recipient }
  const blank = { ...old, amount: old.balance, recipient, lockPin: ask.lockPin }
  const { account: to, documents } = mintVoucher(tools, blank, id)
  const amount = formatMoney({ minor: old.balance, currency: await findCurrency(tx, old.currency, 'any') })
  const issued = { voucherId: id, amount, currency: old.currency, reference: ask.reference, replaces: old.id }
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
}

function checkReplaceable(old: Voucher, { lockPin }: ReplaceAsk, at: Date): void {
  if (isExpired(old, at)) throw voucherError('VOUCHER_EXPIRED')
  if (old.balance === 0n) throw voucherError('VOUCHER_EMPTY')
  if (old.hasPin && lockPin === undefined) throw aftercareError('PIN_NEEDED', { param: 'lockPin' })
}
