// Holds the answers of a round against each other: what was sent after another was told must have seen what that did.
import { centsOf, isLegal, type Told } from './acts.ts'
import type { RoundLog, Span } from './round-log.ts'

/** Every answer is a legal one, and none refuses what nothing stood in the way of. */
export function checkAnswers(log: readonly Told[], round: RoundLog): string[] {
  return log.flatMap((told) => {
    const { kind, status, error, reference, by } = told
    const what = `${kind} ${reference} by ${by.code} was answered ${status} ${error}`
    if (!isLegal(told)) return [what]
    return hasReason(told, log, round) ? [] : [`${what} for no reason`]
  })
}

function hasReason(
  told: Told,
  log: readonly Told[],
  { issuer, redemptions, cancels, replacements }: RoundLog,
): boolean {
  const hasBegun = (span: Span | undefined): boolean => span !== undefined && span.sentMs < told.toldMs
  const { id } = told.voucher
  const isClosed = hasBegun(cancels.get(id)) || hasBegun(replacements.get(id))
  const isBlocked = log.some(({ kind, sentMs }) => kind === 'block' && sentMs < told.toldMs)
  switch (told.error) {
    case 'VOUCHER_CANCELLED':
      return isClosed
    case 'VOUCHER_REPLACED':
      return hasBegun(replacements.get(id))
    case 'VOUCHER_BLOCKED':
      return isBlocked
    case 'VOUCHER_NOT_FOUND':
      return isClosed || isBlocked
    case 'TRANSACTION_NOT_FOUND':
      return (redemptions.get(told.of)?.toldMs ?? Infinity) > told.sentMs
    case 'REFUND_TO_SELF':
      return told.by === issuer && [...cancels.values()].some(hasBegun)
    case 'REFUND_TOO_LARGE':
      return isTooLarge(told, log, redemptions.get(told.of)?.amount ?? 0n)
    default:
      return true
  }
}

/** With all that may have been given back before it. */
function isTooLarge(told: Told, log: readonly Told[], whole: bigint): boolean {
  const before = log.filter(
    ({ kind, status, of, sentMs }) => kind === 'refund' && status === 200 && of === told.of && sentMs < told.toldMs,
  )
  const parts = new Map(before.map(({ reference, data }) => [reference, centsOf(data.amount)]))
  const given = [...parts.values()].reduce((sum, amount) => sum + amount, 0n)
  return told.amount === undefined ? given === whole : given + told.amount > whole
}

/** `targets` says for each refund which account it went to. */
export function checkOrder(round: RoundLog, targets: ReadonlyMap<string, string>, payer: string): string[] {
  const { redemptions, refunds, cancels, replacements, voucherIds } = round
  const faults: string[] = []
  const isOver = (id: string, { sentMs }: Span): boolean =>
    (cancels.get(id)?.toldMs ?? Infinity) < sentMs || (replacements.get(id)?.toldMs ?? Infinity) < sentMs
  for (const [reference, redemption] of redemptions)
    if (isOver(redemption.voucher, redemption)) faults.push(`${reference} redeemed what was told to be closed`)
  // Refunds follow the voucher to the one that replaced it.
  const end = cancels.get(voucherIds.at(-1) ?? '')
  for (const [reference, refund] of refunds) {
    const target = targets.get(refund.id) ?? 'nowhere'
    const id = voucherIds.find((one) => target === `${one}/voucher`)
    if (id !== undefined && isOver(id, refund)) faults.push(`${reference} went to a voucher that was told to be closed`)
    if (id !== undefined) continue
    const isToPayer = target === payer && end !== undefined && end.sentMs < refund.toldMs
    if (!isToPayer) faults.push(`${reference} went to ${target}, and no cancel was told`)
  }
  return faults
}
