// Compares the responses of a round with each other: an act sent after another's response must have seen its effect.
import { centsOf, isLegal, type Done } from './acts.ts'
import type { RoundLog, Span } from './round-log.ts'

/** Every response is allowed, and no act is refused without a reason. */
export function checkResponses(log: readonly Done[], round: RoundLog): string[] {
  return log.flatMap((done) => {
    const { kind, status, error, reference, by } = done
    const what = `${kind} ${reference} by ${by.code} got ${status} ${error}`
    if (!isLegal(done)) return [what]
    return hasReason(done, log, round) ? [] : [`${what} without a reason`]
  })
}

function hasReason(
  done: Done,
  log: readonly Done[],
  { issuer, redemptions, cancels, replacements }: RoundLog,
): boolean {
  const hasBegun = (span: Span | undefined): boolean => span !== undefined && span.sentMs < done.doneMs
  const { id } = done.voucher
  const isClosed = hasBegun(cancels.get(id)) || hasBegun(replacements.get(id))
  const isBlocked = log.some(({ kind, sentMs }) => kind === 'block' && sentMs < done.doneMs)
  switch (done.error) {
    case 'VOUCHER_CANCELLED':
      return isClosed
    case 'VOUCHER_REPLACED':
      return hasBegun(replacements.get(id))
    case 'VOUCHER_BLOCKED':
      return isBlocked
    case 'VOUCHER_NOT_FOUND':
      return isClosed || isBlocked
    case 'TRANSACTION_NOT_FOUND':
      return (redemptions.get(done.of)?.doneMs ?? Infinity) > done.sentMs
    case 'REFUND_TO_SELF':
      return done.by === issuer && [...cancels.values()].some(hasBegun)
    case 'REFUND_TOO_LARGE':
      return isTooLarge(done, log, redemptions.get(done.of)?.amount ?? 0n)
    default:
      return true
  }
}

/** Counts all refunds that may have happened before it. */
function isTooLarge(done: Done, log: readonly Done[], paid: bigint): boolean {
  const before = log.filter(
    ({ kind, status, of, sentMs }) => kind === 'refund' && status === 200 && of === done.of && sentMs < done.doneMs,
  )
  const parts = new Map(before.map(({ reference, data }) => [reference, centsOf(data.amount)]))
  const refunded = [...parts.values()].reduce((sum, amount) => sum + amount, 0n)
  return done.amount === undefined ? refunded === paid : refunded + done.amount > paid
}

/** `targets` maps each refund to the account that got it. */
export function checkOrder(round: RoundLog, targets: ReadonlyMap<string, string>, payer: string): string[] {
  const { redemptions, refunds, cancels, replacements, voucherIds } = round
  const faults: string[] = []
  const isOver = (id: string, { sentMs }: Span): boolean =>
    (cancels.get(id)?.doneMs ?? Infinity) < sentMs || (replacements.get(id)?.doneMs ?? Infinity) < sentMs
  for (const [reference, redemption] of redemptions)
    if (isOver(redemption.voucher, redemption)) faults.push(`${reference} redeemed a closed voucher`)
  // Refunds of a replaced voucher go to its replacement.
  const end = cancels.get(voucherIds.at(-1) ?? '')
  for (const [reference, refund] of refunds) {
    const target = targets.get(refund.id) ?? 'nowhere'
    const id = voucherIds.find((one) => target === `${one}/voucher`)
    if (id !== undefined && isOver(id, refund)) faults.push(`${reference} went to a closed voucher`)
    if (id !== undefined) continue
    const isToPayer = target === payer && end !== undefined && end.sentMs < refund.doneMs
    if (!isToPayer) faults.push(`${reference} went to ${target}, although no voucher was cancelled`)
  }
  return faults
}
