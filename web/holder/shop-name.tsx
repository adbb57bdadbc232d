import type { ReactNode } from 'react'
import { initialsOf } from '../ui/avatar.tsx'
import { ticketStyle } from '../ui/ticket-head.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import './shop-name.css'
import type { VoucherLook } from './voucher-look.ts'

export function ShopNameSkeleton(): ReactNode {
  return (
    <>
      <span className="shop-mark shop-mark-skeleton" aria-hidden="true" />
      <span className="shop-skeleton">
        <Skeleton />
      </span>
    </>
  )
}

/** The logo of the shop, or its initials in its colour, and its name. */
export function ShopName({ look: { shop, logo, colours } }: { readonly look: VoucherLook }): ReactNode {
  return (
    <>
      <span className="shop-mark" style={ticketStyle(colours)} aria-hidden="true">
        {logo === '' ? initialsOf(shop) : <img src={logo} alt="" />}
      </span>
      <span>{shop}</span>
    </>
  )
}
