const reopenedMs = 30 * 24 * 60 * 60 * 1_000

/** An expired voucher that gets value again can be used for thirty days more. */
export function reopenedUntil(at: Date): Date {
  return new Date(at.getTime() + reopenedMs)
}
