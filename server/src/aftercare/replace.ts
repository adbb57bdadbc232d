import { formatMoney } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import { findPosted } from '../ledger/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { voucherError } from '../voucher/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired } from '../voucher/expiry.ts'
import { type Issued, type Issuer, type IssueTools, readIssued } from '../voucher/issue.ts'
import { mintVoucher } from '../voucher/mint.ts'
import { markReplaced, type Voucher, voucherAccount } from '../voucher/store.ts'
import { aftercareError } from './errors.ts'
import { holdStill, moveOut, refuseClosed, withOwnVoucher } from './move-out.ts'

export type ReplaceAsk = {
  readonly id: string
  readonly reference: string
  readonly lockPin: string | undefined
}

/** For a voucher that was lost: its code is dead, and all that is left on it is on a new one under the same terms. */
export async function replaceVoucher(tools: IssueTools, issuer: Issuer, ask: ReplaceAsk): Promise<Issued> {
  const { environmentId } = issuer
  const key = referenceKey(environmentId, ask.reference)
  const asked = JSON.stringify(['voucher.replace', ask.id, ask.lockPin !== undefined])
  try {
    const posted = await withOwnVoucher(tools, environmentId, ask.id, async (tx, voucher) => {
      const known = await findPosted(tx, key, asked)
      if (known !== undefined) return known
      refuseClosed(voucher)
      const old = await holdStill(tools, tx, voucher)
      checkReplaceable(old, ask, tools.clock())
      // Not its batch, nor its form: the new code is one of ours.
      const recipient = { kind: old.recipientKind, name: old.recipient }
      const blank = { ...old, amount: old.balance, recipient, lockPin: ask.lockPin }
      const { id, account: to, documents } = mintVoucher(tools, blank)
      const amount = formatMoney({ minor: old.balance, currency: await findCurrency(tx, old.currency, 'any') })
      const issued = { voucherId: id, amount, currency: old.currency, reference: ask.reference, replaces: old.id }
      const told = { environmentId, about: voucherAccount(old) }
      const events = [
        voucherEvent('voucher.replaced', told, { voucherId: old.id, replacedBy: id }),
        voucherEvent('voucher.issued', { environmentId, about: to }, issued),
      ]
      const move = { kind: 'replacement', to, state: 'closed', reason: '', identity: { id, key, asked } } as const
      await moveOut(tools, tx, old, { ...move, documents, events })
      await markReplaced(tx, old, id)
      return { journalId: id, replayed: false }
    })
    return await readIssued(tools, issuer, posted)
  } catch (error) {
    throw retell(error, 'referenceId')
  }
}

function checkReplaceable(old: Voucher, { lockPin }: ReplaceAsk, at: Date): void {
  if (isExpired(old, at)) throw voucherError('VOUCHER_EXPIRED')
  if (old.balance === 0n) throw voucherError('VOUCHER_EMPTY')
  if (old.hasPin && lockPin === undefined) throw aftercareError('PIN_NEEDED', { param: 'lockPin' })
}
