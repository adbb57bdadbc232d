import { decodeEventLog, type Hex } from 'viem'
import type { RawLog, RawReceipt } from './block.ts'
import { voucherVaultAbi } from './voucher-vault.gen.ts'

export const vaultLogKinds = ['created', 'redeemed', 'closed'] as const

/** What a vault logged about a voucher. */
export type VaultLog = {
  readonly txHash: string
  readonly logIndex: number
  readonly vault: string
  readonly kind: (typeof vaultLogKinds)[number]
  readonly codeHash: string
  /** What was put in, what the recipient got, or what went back to the creator. */
  readonly amount: bigint
  readonly fee: bigint
  /** The recipient, or the creator. */
  readonly recipient: string
  /** Empty if the log has none. */
  readonly feeRecipient: string
  readonly refHash: string
  readonly nonce: number
}

/** The logs of these vaults that move the value of a voucher. */
export function vaultLogsOf(receipts: readonly RawReceipt[], vaults: readonly string[]): VaultLog[] {
  if (vaults.length === 0) return []
  return receipts.flatMap(({ logs, transactionHash }) =>
    logs
      .filter(({ address }) => vaults.includes(address.toLowerCase()))
      .flatMap((log) => toVaultLog(transactionHash, log)),
  )
}

function toVaultLog(txHash: string, log: RawLog): VaultLog[] {
  const decoded = decode(log)
  const where = { txHash, logIndex: Number(log.logIndex), vault: log.address.toLowerCase() }
  const none = { fee: 0n, feeRecipient: '', refHash: '', nonce: 0 }
  if (decoded?.eventName === 'VoucherCreated') {
    const { codeHash, creator, amount } = decoded.args
    return [{ ...where, ...none, kind: 'created', codeHash, amount, recipient: creator.toLowerCase() }]
  }
  if (decoded?.eventName === 'VoucherRedeemed') {
    const { codeHash, recipient, ref: refHash, amount, fee, feeRecipient, nonce } = decoded.args
    const paid = { recipient: recipient.toLowerCase(), feeRecipient: feeRecipient.toLowerCase() }
    return [{ ...where, ...paid, kind: 'redeemed', codeHash, amount, fee, refHash, nonce }]
  }
  if (decoded?.eventName === 'VoucherClosed') {
    const { codeHash, creator, amount } = decoded.args
    return [{ ...where, ...none, kind: 'closed', codeHash, amount, recipient: creator.toLowerCase() }]
  }
  return []
}

function decode({ topics, data }: RawLog) {
  try {
    return decodeEventLog({ abi: voucherVaultAbi, topics: topics as [Hex, ...Hex[]], data: data as Hex })
  } catch {
    return undefined
  }
}
