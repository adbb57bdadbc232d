import { createRouter } from '../ui/router.tsx'

export const root = '/app'

type Screen = '' | 'send' | 'exchange' | 'buy' | 'redeem' | 'vouchers' | 'deposit' | 'settings' | 'sign-in' | 'sign-up'
export type Address = `/${Screen}` | `/${'pay' | 'receipt' | 'redeem' | 'vouchers' | 'deposit'}/${string}`

export const { Routes, go, Link, BackLink } = createRouter<Address>(root)
