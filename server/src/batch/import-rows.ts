import type { KeyRing } from '../voucher/key-ring.ts'
import type { ClaimedBatch } from './store.ts'

/** A row of an import that was found good. */
export type ImportedRow = {
  readonly code: string
  readonly amount: bigint
  readonly pin: string | undefined
  readonly expiresAt: Date | undefined
}

type Packed = [code: string, amount: string, pin: string | null, expiresMs: number | null]

/** As one text, to be sealed: it has codes and pins in it. */
export function packRows(rows: readonly ImportedRow[]): string {
  return JSON.stringify(
    rows.map(
      ({ code, amount, pin, expiresAt }): Packed => [code, String(amount), pin ?? null, expiresAt?.getTime() ?? null],
    ),
  )
}

/** The rows of a batch that is an import and not yet finished. */
export function openRows(keyRing: KeyRing, { id, rows }: ClaimedBatch): ImportedRow[] | undefined {
  if (rows === undefined) return undefined
  return (JSON.parse(keyRing.open(id, rows)) as Packed[]).map(([code, amount, pin, expiresMs]) => ({
    code,
    amount: BigInt(amount),
    pin: pin ?? undefined,
    expiresAt: expiresMs === null ? undefined : new Date(expiresMs),
  }))
}
