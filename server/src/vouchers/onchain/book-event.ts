import { chainError } from '../../chain/errors.ts'
import { findChain } from '../../chain/store.ts'
import { purseOn } from '../../catalogue/charge/gas.ts'
import type { Posting } from '../../ledger/journal.ts'
import { setAccountState } from '../../ledger/store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { voucherAccount } from '../voucher/store.ts'
import { bookDirect } from './book-direct.ts'
import { type Booking, type BookTools, lockAs, withVoucher } from './booking.ts'
import { completeRedemption, failRedemption } from './end-redemption.ts'
import { hasUnsettled, markBooked, type VaultEvent } from './event-store.ts'
import { postWithEvents } from './post.ts'
import { mergePostings, vaultOn } from './postings.ts'
import { findOpen, type OpenRedemption } from './redemption-store.ts'
import { saveFinal, setOnchain, withdrawClosing } from './voucher-store.ts'

/** Books a final log of a vault, once, in the order of its network. The ledger follows the chain, whoever acted there. */
export async function bookEvent(tools: BookTools, event: VaultEvent): Promise<void> {
  await withVoucher(tools, event, async (booking) => {
    const { tx, journalId, voucher } = booking
    if (await hasUnsettled(tx, event)) throw chainError('CHAIN_UNWATCHED', { event: event.id })
    const bookings = await markBooked(tx, event.id, journalId, tools.clock())
    if (bookings === undefined) return
    const posting = await bookByKind(tools, booking, bookings)
    const key = `vault/${event.id}/${bookings}`
    await postWithEvents(tools, tx, { id: journalId, kind: `vault.${event.kind}`, key }, posting)
    // What is left of a blocked voucher stays blocked, whatever its holder did on the network.
    if (voucher.state === 'no_debit') await setAccountState(tx, voucherAccount(voucher), 'no_debit')
  })
}

function bookByKind(tools: BookTools, booking: Booking, bookings: number): Promise<Posting> {
  const { kind } = booking.event
  if (kind === 'created') return bookCreated(booking)
  return kind === 'redeemed' ? bookRedeemed(tools, booking, bookings) : bookClosed(tools, booking)
}

/** The value left one of our own addresses for the vault. */
async function bookCreated({ tx, event, voucher, onchain, unit }: Booking): Promise<Posting> {
  const { id, environmentId, bookId } = voucher
  const { networkId, amount, txHash } = event
  if (amount !== onchain.value) throw new Error('A vault holds another value than the voucher has.')
  await saveFinal(tx, id, { state: 'open', balance: amount, nonce: 0, createTx: txHash })
  const [held, purse] = [vaultOn(networkId, bookId), purseOn(networkId, bookId)]
  const about = voucherAccount(voucher)
  const data = { voucherId: id, transactionHash: txHash }
  return {
    transfers: [{ from: held, to: purse, amount: amount * unit }],
    open: [held, purse],
    events: [voucherEvent('voucher.onchain_created', { environmentId, about }, data)],
  }
}

/** Completes the redemption that the log is of, or books what a holder did on the network without us. */
async function bookRedeemed(tools: BookTools, booking: Booking, bookings: number): Promise<Posting> {
  const { tx, event, voucher, onchain } = booking
  const { nonce, amount, fee } = event
  const balance = onchain.balance - amount - fee
  await saveFinal(tx, voucher.id, { state: 'open', balance, nonce: nonce + 1 })
  if (balance === 0n) await withdrawClosing(tx, voucher.id, tools.clock())
  const open = await findOpen(tx, voucher.id)
  if (open !== undefined && isOf(open, event)) return completeOpen(tools, booking, open.id)
  const direct = await bookDirect(tools, booking, bookings)
  // One of ours with this nonce can never be carried out now.
  const lost = open === undefined ? undefined : await failOpen(tools, booking, open.id)
  return mergePostings(lost, direct)
}

/**
 * Everything that was signed must be the same. The reference alone proves nothing: it is public once the transaction is broadcast, and
 * the holder could sign another message with it that pays somebody else.
 */
function isOf(open: OpenRedemption, event: VaultEvent): boolean {
  const { nonce, refHash, recipient, units, fee, feeRecipient } = open
  const isPaid = event.recipient === recipient && event.amount === units
  const isFeePaid = event.fee === fee && (fee === 0n || event.feeRecipient === feeRecipient)
  return event.nonce === nonce && event.refHash === refHash && isPaid && isFeePaid
}

async function completeOpen(tools: BookTools, { tx, event, journalId }: Booking, id: string): Promise<Posting> {
  const sent = await lockAs(tx, id)
  const isTreasury = sent.recipient === (await findChain(tx, event.networkId))?.treasury
  return completeRedemption(tools, tx, sent, { txHash: event.txHash, isTreasury, journalId })
}

async function failOpen(tools: BookTools, { tx, journalId }: Booking, id: string): Promise<Posting> {
  return failRedemption(tools, tx, await lockAs(tx, id), { txHash: null, spentWei: 0n, journalId })
}

/** What was left is in one of our own addresses again: the voucher goes on offchain. */
async function bookClosed(tools: BookTools, booking: Booking): Promise<Posting> {
  const { tx, event, voucher, onchain, unit } = booking
  const { id, environmentId, bookId } = voucher
  const { networkId, amount, txHash } = event
  if (amount !== onchain.balance) throw new Error('A vault returned another value than the voucher has.')
  await saveFinal(tx, id, { state: 'closed', balance: 0n, nonce: onchain.nonce })
  await setOnchain(tx, environmentId, id, false)
  // After a reorganisation, the transaction of an earlier closing may have come back and closed it.
  await withdrawClosing(tx, id, tools.clock())
  const open = await findOpen(tx, id)
  const lost = open === undefined ? undefined : await failOpen(tools, booking, open.id)
  const data = { voucherId: id, transactionHash: txHash }
  return mergePostings(lost, {
    transfers: [{ from: purseOn(networkId, bookId), to: vaultOn(networkId, bookId), amount: amount * unit }],
    events: [voucherEvent('voucher.onchain_closed', { environmentId, about: voucherAccount(voucher) }, data)],
  })
}
