import { useSyncExternalStore } from 'react'
import type { Currency } from '../ui/amount.tsx'
import type { Voucher } from './ask-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

/** What this phone remembers of a voucher: how to ask for it, and what it looked like then. */
export type KeptVoucher = VoucherAddress & {
  readonly mode: 'test' | 'live'
  readonly issuer: string
  /** Empty when a pin guards it: the list must not tell what the pin protects. */
  readonly balance: string
  readonly currency: Currency
  readonly seenAt: string
}

const storageKey = 'scrip.kept-vouchers'
const listeners = new Set<() => void>()
let kept = load()

addEventListener('storage', ({ key }) => {
  if (key === storageKey) show(load())
})

export function useKeptVouchers(): readonly KeptVoucher[] {
  return useSyncExternalStore(subscribe, () => kept)
}

export function isSame(a: VoucherAddress, b: VoucherAddress): boolean {
  return a.code === b.code && a.merchantCode === b.merchantCode
}

/** False when this browser keeps nothing, as in some private windows. */
export function keep(voucher: KeptVoucher): boolean {
  return save([voucher, ...kept.filter((other) => !isSame(other, voucher))])
}

export function letGo(address: VoucherAddress): void {
  save(kept.filter((other) => !isSame(other, address)))
}

/** Brings a kept voucher up to date; one that is not kept stays unknown to this phone. */
export function noteSeen(voucher: Voucher): void {
  if (!kept.some((other) => isSame(other, voucher))) return
  save(kept.map((other) => (isSame(other, voucher) ? toKept(voucher) : other)))
}

export function toKept({ code, merchantCode, mode, issuer, currency, ...voucher }: Voucher): KeptVoucher {
  const balance = voucher.hasPin ? '' : voucher.balance
  return { code, merchantCode, mode, issuer, currency, balance, seenAt: new Date().toISOString() }
}

function load(): readonly KeptVoucher[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isKept) : []
  } catch {
    return []
  }
}

function save(next: readonly KeptVoucher[]): boolean {
  try {
    localStorage.setItem(storageKey, JSON.stringify(next))
  } catch {
    return false
  }
  show(next)
  return true
}

function show(next: readonly KeptVoucher[]): void {
  kept = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function isKept(value: unknown): value is KeptVoucher {
  const voucher = value as Partial<KeptVoucher> | null
  return typeof voucher?.code === 'string' && typeof voucher.issuer === 'string' && voucher.currency !== undefined
}
