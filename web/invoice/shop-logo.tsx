import type { ReactNode } from 'react'
import type { WireShop } from '../../server/src/identity/merchant/wire.ts'

/** The shop's logo above its name, if it has one. */
export function ShopLogo({ shop: { logoUrl } }: { readonly shop: Pick<WireShop, 'logoUrl'> }): ReactNode {
  return logoUrl === '' ? null : <img className="invoice-logo" src={logoUrl} alt="" />
}
