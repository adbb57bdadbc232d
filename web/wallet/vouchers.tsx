import { Button } from '../ui/button.tsx'
import { Moment } from '../ui/moment.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Ticket } from '../ui/ticket.tsx'
import { TicketSlip } from '../ui/ticket-slip.tsx'
import type { ReactNode } from 'react'
import type { WalletVoucher, WalletVouchers } from './request-wallet.ts'
import { CopyButton } from './copy-button.tsx'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Loaded, Money, useFindCurrency } from './parts.tsx'
import { go, Link, root } from './route.ts'
import { words } from './words.ts'

const path = '/wallet/vouchers?limit=50'

export function Vouchers(): ReactNode {
  const known = useKnown<WalletVouchers>(path)
  return (
    <Screen heading={words.vouchers.heading}>
      <div className="acts">
        <Link className="button" data-kind="main" to="/buy">
          {words.vouchers.buy}
        </Link>
        <Link className="button" data-kind="quiet" to="/redeem">
          {words.vouchers.redeem}
        </Link>
      </div>
      <Loaded known={known}>
        {({ vouchers }) =>
          vouchers.length === 0 ? (
            <div className="empty">
              <p>{words.vouchers.none}</p>
              <p>{words.vouchers.noneLead}</p>
            </div>
          ) : (
            <ul className="wallet-vouchers">
              {vouchers.map((voucher) => (
                <li key={voucher.id}>
                  <Slip voucher={voucher} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Screen>
  )
}

function Slip({ voucher: { id, code, currency, balance, expiresAt, isGiven } }: { readonly voucher: WalletVoucher }) {
  const detail = isGiven ? (
    words.vouchers.given
  ) : code === '' ? (
    words.vouchers.used
  ) : expiresAt === null ? (
    ''
  ) : (
    <>
      {words.vouchers.expires} <Moment at={expiresAt} form="day" />
    </>
  )
  const act =
    code === '' ? null : (
      <Link className="button" data-kind="quiet" to={`/vouchers/${id}`}>
        {words.vouchers.show}
      </Link>
    )
  return (
    <TicketSlip
      href={`${root}/vouchers/${id}`}
      title={currency}
      code={code}
      balance={<Money value={balance} code={currency} />}
      detail={detail}
      act={act}
    />
  )
}

/** The ticket that the user shows at the till. */
export function OneVoucher({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<WalletVouchers>(path)
  const find = useFindCurrency()
  return (
    <Screen heading={words.vouchers.heading} back="/vouchers">
      <Loaded known={known}>
        {({ vouchers }) => {
          const voucher = vouchers.find((each) => each.id === id)
          if (voucher === undefined) return <p>{words.vouchers.missing}</p>
          if (voucher.isGiven) return <p>{words.vouchers.given}</p>
          const { code, balance, amount, currency } = voucher
          return (
            <Ticket
              heading={<p className="soft">{words.vouchers.forTill}</p>}
              state={code === '' ? 'used' : 'open'}
              balance={balance}
              amount={amount}
              currency={find(currency)}
              code={code}
              merchantCode=""
              codeAct={<CopyButton kind="bare" text={code} label={words.vouchers.copy} />}
              qr={<QrCode content={`${location.origin}/v#${code}`} label={words.vouchers.qr} />}
              // The wallet API does not say whether a voucher without a code is used or expired.
              words={{ stamps: { open: '', used: words.vouchers.used, expired: words.vouchers.used } }}
              act={<Button onClick={() => go(`/redeem/${id}`)}>{words.vouchers.toWallet}</Button>}
            />
          )
        }}
      </Loaded>
    </Screen>
  )
}
