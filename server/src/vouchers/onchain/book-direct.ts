import type { Tx } from '../../base/db.ts'
import { timeOfId } from '../../base/id.ts'
import { formatMoney } from '../../base/money.ts'
import type { Posting } from '../../ledger/journal.ts'
import { lockAccountsOf } from '../../ledger/lock.ts'
import { setAccountState } from '../../ledger/store.ts'
import { transactionDocument } from '../../payments/transaction/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { redemptionDocument } from '../voucher/history-store.ts'
import { addressRedemptionDocument } from '../voucher/onchain-store.ts'
import { type Voucher, voucherAccount } from '../voucher/store.ts'
import type { Booking, BookTools } from './booking.ts'
import { vaultOn } from './postings.ts'

/** A redemption by the holder: a transaction of the issuer, since no other merchant took part. `times`: how often it was booked. */
export async function bookDirect(tools: BookTools, booking: Booking, times: number): Promise<Posting> {
  const { tx, event, voucher, onchain, currency, unit, journalId: id } = booking
  const { networkId, recipient, txHash, nonce } = event
  const { environmentId, id: voucherId, bookId, codeTail } = voucher
  await openForDebit(tx, voucher)
  const [amount, charge] = [event.amount * unit, event.fee * unit]
  const createdAt = timeOfId(id)
  const [from, held] = [voucherAccount(voucher), vaultOn(networkId, bookId)]
  const charged = amount + charge
  const chargeType = charge === 0n ? 'NONE' : 'FIXED'
  // One that its network undid for good and carried out later is another transaction.
  const reference = `onchain-${txHash}-${nonce}${times === 1 ? '' : `-${times}`}`
  const type = 'VOUCHER_REDEMPTION'
  const made = { environmentId, id, amount, createdAt }
  const status = 'COMPLETED'
  const documents = [
    transactionDocument({ ...made, reference, type, status, bookId, charged, chargeType, metadata: '', codeTail }),
    redemptionDocument({ ...made, voucherId, charge, chargedTo: 'voucher', receiptKey: 0 }),
    addressRedemptionDocument({
      environmentId,
      id,
      voucherId,
      networkId,
      recipient,
      token: onchain.token,
      units: event.amount,
      gas: 0n,
      gasWei: 0n,
      endedAt: tools.clock(),
      txHash,
    }),
  ]
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  const data = {
    voucherId,
    amount: money(amount),
    charge: money(charge),
    chargedTo: 'voucher',
    currency: currency.code,
  } as const
  const details = { transactionId: id, reference, type, metadata: '', userId: null } as const
  return {
    transfers: [{ from, to: held, amount: charged }],
    open: [held],
    documents,
    events: [voucherEvent('voucher.redeemed', { environmentId, about: from }, { ...data, ...details })],
  }
}

/** A blocked voucher may still be redeemed on its network until its closing is final. The caller blocks it again. */
async function openForDebit(tx: Tx, voucher: Voucher): Promise<void> {
  if (voucher.state !== 'no_debit') return
  await lockAccountsOf(tx, [voucherAccount(voucher)])
  await setAccountState(tx, voucherAccount(voucher), 'open')
}
