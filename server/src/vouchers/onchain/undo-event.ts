import { findChain } from '../../chain/store.ts'
import { purseOn } from '../../catalogue/charge/gas.ts'
import type { Posting, Transfer } from '../../ledger/journal.ts'
import { moveTransaction } from '../../payments/transaction/store.ts'
import { moveDocument } from '../voucher/history-store.ts'
import { voucherAccount } from '../voucher/store.ts'
import { type Booking, type BookTools, lockAs, withVoucher } from './booking.ts'
import { markUndone, type VaultEvent } from './event-store.ts'
import { postWithEvents } from './post.ts'
import { completed, failed, mergePostings, vaultOn } from './postings.ts'
import { findEnded } from './redemption-store.ts'
import { releaseClosing, saveFinal, setOnchain } from './voucher-store.ts'

/**
 * Reverses a booking whose log its network undid for good. A redemption's value is back on the voucher, as it is in the vault. Throws if
 * somebody has spent what must come back: the operator decides who bears that.
 */
export async function undoEvent(tools: BookTools, event: VaultEvent): Promise<void> {
  await withVoucher(tools, event, async (booking) => {
    const { tx, voucher, journalId } = booking
    if (!(await markUndone(tx, event.id, journalId))) return
    tools.log.error({ event: event.id, voucher: voucher.id, kind: event.kind }, 'a final log of a vault was undone')
    const posting = await undoByKind(tools, booking)
    const identity = { id: journalId, kind: 'vault.undo', key: `vault/${event.id}/${event.bookings}/undo` }
    await postWithEvents(tools, tx, identity, posting)
  })
}

function undoByKind(tools: BookTools, booking: Booking): Promise<Posting> {
  const { kind } = booking.event
  if (kind === 'created') return undoCreated(booking)
  return kind === 'redeemed' ? undoRedeemed(tools, booking) : undoClosed(booking)
}

async function undoCreated({ tx, event, voucher, unit }: Booking): Promise<Posting> {
  await saveFinal(tx, voucher.id, { state: 'creating', balance: 0n, nonce: 0 })
  const [held, purse] = [vaultOn(event.networkId, voucher.bookId), purseOn(event.networkId, voucher.bookId)]
  return { transfers: [{ from: purse, to: held, amount: event.amount * unit }] }
}

async function undoClosed({ tx, event, voucher, onchain, unit }: Booking): Promise<Posting> {
  const { id, environmentId, bookId } = voucher
  const amount = event.amount * unit
  if (voucher.balance !== amount) throw new Error('A voucher changed after its closing, which its network undid.')
  await saveFinal(tx, id, { state: 'open', balance: event.amount, nonce: onchain.nonce })
  await setOnchain(tx, environmentId, id, true)
  await releaseClosing(tx, id)
  return { transfers: [{ from: vaultOn(event.networkId, bookId), to: purseOn(event.networkId, bookId), amount }] }
}

async function undoRedeemed(tools: BookTools, booking: Booking): Promise<Posting> {
  const { tx, event, voucher, onchain, currency, unit, journalId } = booking
  const { id, environmentId, bookId } = voucher
  const balance = onchain.balance + event.amount + event.fee
  await saveFinal(tx, id, { state: 'open', balance, nonce: event.nonce })
  // An empty voucher may have been taken off its network since.
  if (onchain.state === 'closed') await setOnchain(tx, environmentId, id, true)
  const endedId = await findEnded(tx, id, event)
  if (endedId === undefined) throw new Error('A booked redemption is missing.')
  const sent = await lockAs(tx, endedId, 'ended')
  await moveTransaction(tx, sent, 'REVERSED', tools.clock(), journalId)
  if (sent.vault !== null) {
    const chain = await findChain(tx, event.networkId)
    const done = completed(sent, currency, sent.recipient === chain?.treasury)
    const back = { transfers: inverse(done.transfers), open: done.open ?? [] }
    return mergePostings(back, failed(sent, currency, { spentWei: 0n, journalId, returned: sent.amount }))
  }
  const amount = (event.amount + event.fee) * unit
  const move = { voucherId: id, id: journalId, environmentId, redemptionId: endedId, kind: 'return', amount } as const
  return {
    transfers: [{ from: vaultOn(event.networkId, bookId), to: voucherAccount(voucher), amount }],
    documents: [moveDocument(move)],
  }
}

function inverse(transfers: readonly Transfer[]): Transfer[] {
  return transfers.toReversed().map(({ from, to, amount }) => ({ from: to, to: from, amount }))
}
