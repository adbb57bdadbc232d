import { Ticket as TicketIcon, TicketPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { coloursOf, TicketHead } from '../ui/ticket-head.tsx'
import { Ticket } from '../ui/ticket.tsx'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { useFindCurrency } from './money.tsx'
import { Loaded } from './parts.tsx'
import type { WalletVoucher, WalletVouchers } from './request-wallet.ts'
import { go, Link } from './route.ts'
import { isUsable, VoucherTile, vouchersPath } from './voucher-tile.tsx'
import './vouchers.css'
import { words } from './words.ts'

export function Vouchers(): ReactNode {
  const known = useKnown<WalletVouchers>(vouchersPath)
  return (
    <Screen heading={words.vouchers.heading}>
      <div className="wallet-pair">
        <Link className="button" data-kind="main" to="/buy">
          <TicketPlus aria-hidden="true" />
          {words.vouchers.buy}
        </Link>
        <Link className="button" data-kind="quiet" to="/redeem">
          {words.vouchers.redeem}
        </Link>
      </div>
      <Loaded known={known} placeholder={<Skeleton shape="block" />}>
        {({ vouchers }) =>
          vouchers.length === 0 ? (
            <Empty icon={TicketIcon} heading={words.vouchers.none} lead={words.vouchers.noneLead} />
          ) : (
            <ul className="voucher-grid">
              {vouchers
                .toSorted((a, b) => Number(isUsable(b)) - Number(isUsable(a)))
                .map((voucher) => (
                  <li key={voucher.id}>
                    <VoucherTile voucher={voucher} />
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
    </Screen>
  )
}

/** The ticket that the user shows at the till. */
export function OneVoucher({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<WalletVouchers>(vouchersPath)
  return (
    <Screen heading={words.vouchers.heading} back="/vouchers">
      <Loaded known={known} placeholder={<Skeleton shape="block" />}>
        {({ vouchers }) => {
          const voucher = vouchers.find((each) => each.id === id)
          if (voucher === undefined) return <Notice>{words.vouchers.missing}</Notice>
          if (voucher.isGiven) return <Notice>{words.vouchers.given}</Notice>
          return <VoucherTicket voucher={voucher} />
        }}
      </Loaded>
    </Screen>
  )
}

function VoucherTicket({ voucher }: { readonly voucher: WalletVoucher }) {
  const find = useFindCurrency()
  const { id, merchant, shop, code, balance, amount, currency, expiresAt } = voucher
  return (
    <div className="voucher-screen">
      <Ticket
        colours={coloursOf(shop.accent)}
        head={<TicketHead logo={shop.logoUrl} title={<h2>{merchant}</h2>} label={words.vouchers.label} />}
        heading={<p className="soft">{words.vouchers.forTill}</p>}
        state={isUsable(voucher) ? 'open' : 'used'}
        balance={balance}
        amount={amount}
        currency={find(currency)}
        code={code}
        merchantCode=""
        codeAct={<CopyButton kind="bare" text={code} label={words.vouchers.copy} />}
        qr={<QrCode content={`${location.origin}/v#${code}`} label={words.vouchers.qr} />}
        // The wallet API does not say whether a voucher without a code is used or expired.
        words={{ stamps: { open: '', used: words.vouchers.used, expired: words.vouchers.used } }}
        act={
          <Button isWide onClick={() => go(`/redeem/${id}`)}>
            {words.vouchers.toWallet}
          </Button>
        }
      />
      {isUsable(voucher) && expiresAt !== null && (
        <p className="soft">
          {words.vouchers.expires} <Moment at={expiresAt} form="day" />
        </p>
      )}
    </div>
  )
}
