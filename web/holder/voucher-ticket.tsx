import { Maximize } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { initialsOf } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { isZero } from '../ui/decimal.ts'
import { PageHeading } from '../ui/page-frame.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Ticket, type TicketState } from '../ui/ticket.tsx'
import { TicketHead } from '../ui/ticket-head.tsx'
import { voucherLink } from '../ui/voucher-address.ts'
import type { Voucher } from './request-voucher.ts'
import { TillDialog } from './till-dialog.tsx'
import { Validity } from './voucher-facts.tsx'
import { lookOf, type VoucherLook } from './voucher-look.ts'
import { words } from './words.ts'

type VoucherTicketProps = { readonly voucher: Voucher; readonly now: Date }

/** The ticket in the colours of the shop, and the dialog for the till. */
export function VoucherTicket({ voucher, now }: VoucherTicketProps): ReactNode {
  const [isAtTill, setIsAtTill] = useState(false)
  const look = lookOf(voucher)
  const state = stateOf(voucher)
  const show = (
    <>
      <p className="voucher-scan-hint">{words.voucher.cashierScans}</p>
      <Button kind="main" size="l" isWide onClick={() => setIsAtTill(true)}>
        <Maximize aria-hidden="true" />
        {words.voucher.showAtTill}
      </Button>
    </>
  )
  return (
    <>
      <Ticket
        head={<Head look={look} />}
        colours={look.colours}
        heading={null}
        state={state}
        balance={shownBalance(voucher)}
        amount={voucher.amount}
        currency={voucher.currency}
        // A notice says when an expired voucher was valid.
        validity={state === 'expired' ? undefined : <Validity voucher={voucher} now={now} />}
        code={voucher.code}
        merchantCode={voucher.merchantCode}
        codeAct={<CopyButton size="s" text={voucher.code} label={words.copy} />}
        qr={<QrCode content={voucherLink(voucher)} label={words.voucher.qr} />}
        act={show}
        words={{ left: words.voucher.left }}
      />
      {isAtTill && <TillDialog voucher={voucher} onClose={() => setIsAtTill(false)} />}
    </>
  )
}

type LookProps = { readonly look: VoucherLook }

function Head({ look: { shop, logo } }: LookProps) {
  const title = (
    <PageHeading>
      <span className="for-screen-readers">{words.voucher.from} </span>
      {shop}
    </PageHeading>
  )
  return <TicketHead logo={logo} mark={initialsOf(shop)} title={title} label={words.giftVoucher} />
}

/** For an expired voucher, the balance at expiry: the expiry has moved it off the voucher. */
function shownBalance({ isExpired, balance, history }: Voucher): string {
  const [last] = history
  return isExpired && last?.kind === 'expired' ? last.amount : balance
}

export function stateOf({ isExpired, balance }: Voucher): TicketState {
  if (isExpired) return 'expired'
  return isZero(balance) ? 'used' : 'open'
}
