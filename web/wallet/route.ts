import { createRouter } from '../ui/router.tsx'

export const root = '/app'

type Screen =
  | ''
  | 'activity'
  | 'buy'
  | 'deposit'
  | 'exchange'
  | 'receive'
  | 'redeem'
  | 'scan'
  | 'send'
  | 'settings'
  | 'sign-in'
  | 'sign-up'
  | 'vouchers'
export type Address =
  | `/${Screen}`
  | `/${'deposit' | 'pay' | 'receipt' | 'redeem' | 'send' | 'vouchers'}/${string}`
  | `/activity?search=${string}`
  // The code of a voucher is in the fragment, which browsers never send to the server.
  | `/redeem#${string}`

export const { Routes, useSearchParams, go, Link, BackLink } = createRouter<Address>(root)
