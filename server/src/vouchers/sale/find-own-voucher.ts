import type { MerchantCaller } from '../../http/caller.ts'
import { readCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { findVouchers, type Voucher } from '../voucher/store.ts'
import { saleError } from './errors.ts'

/** A store voucher or a card of the shop, by its code. Others look the same as unknown codes. */
export async function findOwnVoucher(
  { pool, clock, keyRing }: Pick<IssueTools, 'pool' | 'clock' | 'keyRing'>,
  { environmentId }: Pick<MerchantCaller, 'environmentId'>,
  typed: string,
): Promise<Voucher> {
  const code = readCode(typed)
  const hashes = keyRing.hashesOf(code, environmentId)
  const found = await findVouchers(pool, [hashes], clock())
  const voucher = hashes.map((hash) => found.get(hash)).find((each) => each?.environmentId === environmentId)
  if (voucher === undefined) throw voucherError('VOUCHER_NOT_FOUND', { param: 'voucherCode' })
  if (!voucher.isStore) throw saleError('VOUCHER_NOT_STORE', { param: 'voucherCode' })
  return voucher
}
