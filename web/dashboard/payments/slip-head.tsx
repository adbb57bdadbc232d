import type { ReactNode } from 'react'
import { brandPath, usePeek } from '../shell/request-dashboard.ts'
import type { Brand } from '../shell/responses.ts'
import { useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

/** Who issued a receipt: the logo, the name, the address and the tax number of the shop. */
export function SlipHead(): ReactNode {
  const { merchant } = useShop()
  const { data } = usePeek<Brand>(brandPath)
  const { logoUrl, address, taxNumber } = data ?? { logoUrl: '', address: '', taxNumber: '' }
  return (
    <>
      {logoUrl !== '' && <img className="slip-logo" src={logoUrl} alt="" />}
      <p className="slip-shop">{merchant.name}</p>
      {address !== '' && <p className="slip-imprint">{address}</p>}
      {taxNumber !== '' && <p className="slip-imprint">{words.brand.taxNumberOf(taxNumber)}</p>}
    </>
  )
}
