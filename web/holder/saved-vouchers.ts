import { useSyncExternalStore } from 'react'
import type { Currency } from '../ui/amount.tsx'
import type { Voucher } from './request-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

/** A voucher saved in this browser: its code, and what the list shows without a request. */
export type SavedVoucher = VoucherAddress & {
  readonly mode: 'test' | 'live'
  readonly issuer: string
  /** Empty if the voucher has a PIN, so that the list does not reveal what the PIN protects. */
  readonly balance: string
  readonly currency: Currency
  /** When the voucher was last loaded. The name is part of what browsers have stored. */
  readonly seenAt: string
}

const storageKey = 'scrip.saved-vouchers'
const listeners = new Set<() => void>()
let saved = load()

// Fires when another tab of this browser saves or removes a voucher.
addEventListener('storage', ({ key }) => {
  if (key === storageKey) publish(load())
})

export function useSavedVouchers(): readonly SavedVoucher[] {
  return useSyncExternalStore(subscribe, () => saved)
}

export function isSameVoucher(a: VoucherAddress, b: VoucherAddress): boolean {
  return a.code === b.code && a.merchantCode === b.merchantCode
}

/** Puts the voucher first in the list. Returns false if the browser cannot store it, as in some private windows. */
export function saveVoucher(voucher: SavedVoucher): boolean {
  return store([voucher, ...saved.filter((other) => !isSameVoucher(other, voucher))])
}

export function removeVoucher(address: VoucherAddress): void {
  store(saved.filter((other) => !isSameVoucher(other, address)))
}

/** Updates the voucher in the list if it is saved; does nothing otherwise. */
export function updateSaved(voucher: Voucher): void {
  if (!saved.some((other) => isSameVoucher(other, voucher))) return
  store(saved.map((other) => (isSameVoucher(other, voucher) ? toSaved(voucher) : other)))
}

export function toSaved({ code, merchantCode, mode, issuer, currency, ...voucher }: Voucher): SavedVoucher {
  const balance = voucher.hasPin ? '' : voucher.balance
  return { code, merchantCode, mode, issuer, currency, balance, seenAt: new Date().toISOString() }
}

function load(): readonly SavedVoucher[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isSavedVoucher) : []
  } catch {
    return []
  }
}

function store(next: readonly SavedVoucher[]): boolean {
  try {
    localStorage.setItem(storageKey, JSON.stringify(next))
  } catch {
    return false
  }
  publish(next)
  return true
}

function publish(next: readonly SavedVoucher[]): void {
  saved = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function isSavedVoucher(value: unknown): value is SavedVoucher {
  const voucher = value as Partial<SavedVoucher> | null
  return typeof voucher?.code === 'string' && typeof voucher.issuer === 'string' && voucher.currency !== undefined
}
