import { coloursOf, type TicketColours } from '../ui/ticket-head.tsx'
import type { Voucher } from './request-voucher.ts'

/** What the shop adds to a voucher. */
export type VoucherLook = {
  /** The name of the shop. */
  readonly shop: string
  /** The address of the shop's logo. Empty: its initials. */
  readonly logo: string
  /** Without colours, the ticket is green. */
  readonly colours: TicketColours | undefined
}

export function lookOf({ issuer, shop }: Voucher): VoucherLook {
  return { shop: issuer, logo: shop.logoUrl, colours: coloursOf(shop.accent) }
}
