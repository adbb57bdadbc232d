import type { ReactNode } from 'react'
import { perMille } from '../ui/decimal.ts'
import { Moment } from '../ui/moment.tsx'
import { coloursOf } from '../ui/ticket-head.tsx'
import { TicketMini } from '../ui/ticket-mini.tsx'
import { PrivateMoney, useWriteMoney } from './money.tsx'
import { useAreAmountsHidden } from './hidden-amounts.ts'
import type { WalletVoucher } from './request-wallet.ts'
import { Link } from './route.ts'
import { words } from './words.ts'

export const vouchersPath = '/wallet/vouchers?limit=50'

/** Whether the user can spend it. */
export function isUsable({ code }: WalletVoucher): boolean {
  return code !== ''
}

/** A voucher as a small ticket, in the colours of its shop. */
export function VoucherTile({ voucher }: { readonly voucher: WalletVoucher }): ReactNode {
  const { id, merchant, shop, currency, balance, amount } = voucher
  const areHidden = useAreAmountsHidden()
  return (
    <TicketMini
      colours={coloursOf(shop.accent)}
      title={
        <Link className="cover-link" to={`/vouchers/${id}`}>
          {merchant}
        </Link>
      }
      balance={<PrivateMoney value={balance} code={currency} />}
      share={areHidden ? 0 : perMille(balance, amount)}
      detail={<TileDetail voucher={voucher} areHidden={areHidden} />}
      isOver={!isUsable(voucher)}
    />
  )
}

function TileDetail({ voucher, areHidden }: { readonly voucher: WalletVoucher; readonly areHidden: boolean }) {
  const write = useWriteMoney()
  const { amount, currency, expiresAt, isGiven } = voucher
  if (isGiven) return words.vouchers.given
  if (!isUsable(voucher)) return words.vouchers.used
  return (
    <>
      {!areHidden && words.vouchers.of(write(amount, currency))}
      {expiresAt !== null && (
        <>
          {!areHidden && ' · '}
          {words.vouchers.expires} <Moment at={expiresAt} form="day" />
        </>
      )}
    </>
  )
}
