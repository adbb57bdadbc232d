import { divide, formatMoney } from '../../base/money.ts'
import { adminAccount } from '../../catalogue/charge/admin-balance.ts'
import { gasOn, purseOn } from '../../catalogue/charge/gas.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { Account } from '../../ledger/account.ts'
import type { Event } from '../../ledger/event.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Posting, Transfer } from '../../ledger/journal.ts'
import { voucherEvent } from '../voucher/events.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { sendingAccount } from '../redeem/redemption-journal.ts'
import { voucherAccount } from '../voucher/store.ts'
import type { SentRedemption } from './redemption-store.ts'

/** What the vaults of a network hold in a book: its negative balance. */
export const vaultOn = (networkId: string, bookId: number): Account => ({ bookId, ownerId: networkId, kind: 'vault' })

/** The posting of a redemption that its network has carried out. `isTreasury` if it paid the treasury, for the merchant. */
export function completed(sent: SentRedemption, currency: CatalogueCurrency, isTreasury: boolean): Posting {
  const { environmentId, id, networkId, bookId, amount, charge, gas, toBookId, toAmount, vault } = sent
  const value = sendingAccount(id, toBookId)
  const purse = purseOn(networkId, bookId)
  const fee: Account = { bookId, ownerId: environmentId, kind: 'fee' }
  const merchant: Account = { bookId: toBookId, ownerId: environmentId, kind: 'merchant' }
  const held = vaultOn(networkId, bookId)
  const chargeAccount = sendingAccount(id, bookId)
  // A vault paid the charge too, to one of our own addresses, if the voucher bore it.
  const chargeFromVault = vault !== null && sent.chargedTo === 'voucher' ? charge : 0n
  const paid: Transfer[] =
    vault === null
      ? [{ from: value, to: purseOn(networkId, toBookId), amount: toAmount }]
      : isTreasury
        ? [
            { from: value, to: merchant, amount: toAmount },
            { from: purse, to: held, amount: amount + chargeFromVault },
          ]
        : [
            { from: value, to: held, amount },
            { from: purse, to: held, amount: chargeFromVault },
          ]
  const charges: Transfer[] = [
    { from: chargeAccount, to: fee, amount: charge - gas },
    { from: chargeAccount, to: gasOn(networkId, bookId), amount: gas },
  ]
  return {
    transfers: [...paid, ...charges].filter((transfer) => transfer.amount > 0n),
    open: [purseOn(networkId, toBookId), purse, held, merchant, fee, gasOn(networkId, bookId)],
    events: redeemedEvents(sent, currency),
  }
}

/**
 * The posting of a redemption that will never be carried out: its value and charge go back to where they came from, less the gas that was
 * spent on it, which is never more than was quoted. `returned` is the value that goes back.
 */
export function failed(
  sent: SentRedemption,
  currency: CatalogueCurrency,
  { spentWei, journalId, returned }: { spentWei: bigint; journalId: string; returned: bigint },
): Posting {
  const { environmentId, id, voucherId, networkId, bookId, amount, charge, gas, gasWei, toBookId, toAmount } = sent
  const voucher = voucherAccount({ bookId, id: voucherId, isStore: false })
  const value = payAcross(
    environmentId,
    { account: sendingAccount(id, toBookId), amount: toAmount },
    { account: voucher, amount: returned },
  )
  const spent = spentWei >= gasWei ? gas : divide(gas * spentWei, gasWei, 'up')
  const isByVoucher = sent.chargedTo === 'voucher'
  const payer = isByVoucher ? voucher : adminAccount(environmentId, bookId)
  const chargeAccount = sendingAccount(id, bookId)
  const charges: Transfer[] = [
    { from: chargeAccount, to: payer, amount: charge - spent },
    { from: chargeAccount, to: gasOn(networkId, bookId), amount: spent },
  ]
  const back = returned + (isByVoucher ? charge - spent : 0n)
  const kept = { voucherId, id: journalId, environmentId, redemptionId: id }
  const data = {
    voucherId,
    amount: formatMoney({ minor: amount, currency }),
    currency: currency.code,
    transactionId: id,
    reference: sent.reference,
    type: 'VOUCHER_REDEMPTION',
    metadata: sent.metadata,
  } as const
  return {
    transfers: [...value.transfers, ...charges].filter((transfer) => transfer.amount > 0n),
    open: [...value.open, gasOn(networkId, bookId)],
    documents: [moveDocument({ ...kept, kind: 'return', amount: back })],
    events: [voucherEvent('voucher.redemption_failed', { environmentId, about: voucher }, data)],
  }
}

/** Both in one journal, the first before the second. */
export function mergePostings(first: Posting | undefined, second: Posting): Posting {
  if (first === undefined) return second
  return {
    transfers: [...first.transfers, ...second.transfers],
    open: [...(first.open ?? []), ...(second.open ?? [])],
    documents: [...(first.documents ?? []), ...(second.documents ?? [])],
    events: [...(first.events ?? []), ...(second.events ?? [])],
  }
}

/** As for any other redemption: with the sale's details for the redeeming merchant only. */
function redeemedEvents(sent: SentRedemption, currency: CatalogueCurrency): Event[] {
  const { environmentId, issuerId, id, voucherId, bookId, reference, metadata, chargedTo } = sent
  const about = voucherAccount({ bookId, id: voucherId, isStore: false })
  const data = {
    voucherId,
    amount: formatMoney({ minor: sent.amount, currency }),
    charge: formatMoney({ minor: sent.charge, currency }),
    chargedTo,
    currency: currency.code,
  }
  const made = { transactionId: id, reference, type: 'VOUCHER_REDEMPTION', metadata, userId: null } as const
  const own = voucherEvent('voucher.redeemed', { environmentId, about }, { ...data, ...made })
  if (issuerId === environmentId) return [own]
  return [own, voucherEvent('voucher.redeemed', { environmentId: issuerId, about }, data)]
}
