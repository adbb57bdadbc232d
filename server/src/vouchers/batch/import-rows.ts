import type { KeyRing } from '../code/key-ring.ts'
import type { ClaimedBatch } from './store.ts'

/** A valid row of an import. */
export type ImportedRow = {
  readonly code: string
  readonly amount: bigint
  readonly pin: string | undefined
  readonly expiresAt: Date | undefined
}

type Packed = [code: string, amount: string, pin: string | null, expiresMs: number | null]

/** Serialises rows for sealing, since they contain codes and PINs. */
export function packRows(rows: readonly ImportedRow[]): string {
  return JSON.stringify(
    rows.map(
      ({ code, amount, pin, expiresAt }): Packed => [code, String(amount), pin ?? null, expiresAt?.getTime() ?? null],
    ),
  )
}

/** Decrypts the rows of an unfinished import. Undefined for other batches. */
export function openRows(keyRing: KeyRing, { id, rows }: ClaimedBatch): ImportedRow[] | undefined {
  if (rows === undefined) return undefined
  return (JSON.parse(keyRing.open(id, rows)) as Packed[]).map(([code, amount, pin, expiresMs]) => ({
    code,
    amount: BigInt(amount),
    pin: pin ?? undefined,
    expiresAt: expiresMs === null ? undefined : new Date(expiresMs),
  }))
}
