import type { ReactNode } from 'react'
import { useKnown } from './known.ts'
import type { WalletVouchers } from './request-wallet.ts'
import { Link } from './route.ts'
import { isUsable, VoucherTile, vouchersPath } from './voucher-tile.tsx'
import './vouchers.css'
import { words } from './words.ts'

const shownMax = 6

/** The vouchers that the user can spend, on the start screen. */
export function VoucherStrip(): ReactNode {
  const { data } = useKnown<WalletVouchers>(vouchersPath)
  const usable = (data?.vouchers ?? []).filter(isUsable)
  if (usable.length === 0) return null
  return (
    <section>
      <h2 className="wallet-title">
        {words.home.vouchers}
        <Link className="link" to="/vouchers">
          {words.home.viewAll}
        </Link>
      </h2>
      <ul className="voucher-strip">
        {usable.slice(0, shownMax).map((voucher) => (
          <li key={voucher.id}>
            <VoucherTile voucher={voucher} />
          </li>
        ))}
      </ul>
    </section>
  )
}
