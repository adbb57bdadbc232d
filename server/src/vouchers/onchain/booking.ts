import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import type { Log } from '../../base/log.ts'
import { unitOf } from '../../catalogue/charge/gas.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { lockOnchain, type OnchainVoucher } from '../voucher/onchain-store.ts'
import { lockVoucher, type Voucher } from '../voucher/store.ts'
import { lockRedemption } from './end-redemption.ts'
import type { VaultEvent } from './event-store.ts'
import type { SentRedemption } from './redemption-store.ts'
import { findVoucherId } from './voucher-store.ts'

export type BookTools = PostTools & { readonly log: Log }

/** A log of a vault with its voucher, which is locked. */
export type Booking = {
  readonly tx: Tx
  readonly event: VaultEvent
  readonly voucher: Voucher
  readonly onchain: OnchainVoucher
  readonly currency: CatalogueCurrency
  /** Minor units of the ledger per smallest unit on the network. */
  readonly unit: bigint
  readonly journalId: string
}

/** Runs `work` in a transaction that has locked the voucher of a log and acts for its issuer. */
export async function withVoucher(
  tools: BookTools,
  event: VaultEvent,
  work: (booking: Booking) => Promise<void>,
): Promise<void> {
  const { networkId, vault, codeHash } = event
  const voucherId = await findVoucherId(tools.pool, networkId, vault, codeHash)
  if (voucherId === undefined) throw new Error('A log of a vault has no voucher.')
  await inTransaction(tools.pool, async (tx) => {
    const voucher = await lockVoucher(tx, voucherId, tools.clock())
    if (voucher === undefined) throw new Error('An onchain voucher is missing.')
    await actFor(tx, voucher.environmentId)
    const onchain = await lockOnchain(tx, voucherId)
    if (onchain === undefined) throw new Error('An onchain voucher has no record of its vault.')
    const currency = await findCurrency(tx, voucher.currency, 'any')
    const unit = unitOf(currency, onchain.decimals)
    await work({ tx, event, voucher, onchain, currency, unit, journalId: tools.newId() })
  })
}

/** Locks a redemption that must exist. From here on the transaction acts for its merchant. */
export async function lockAs(tx: Tx, id: string, which: 'open' | 'ended' = 'open'): Promise<SentRedemption> {
  const sent = await lockRedemption(tx, id, which)
  if (sent === undefined) throw new Error('A redemption that pays an address is missing.')
  return sent
}
