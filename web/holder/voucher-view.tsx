import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { isZero } from '../ui/decimal.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Ticket, type TicketState } from '../ui/ticket.tsx'
import type { Voucher } from './ask-voucher.ts'
import { CopyButton } from './copy-button.tsx'
import { explain } from './failure-words.ts'
import { InstallHint } from './install-hint.tsx'
import { isAppleTouch } from './install-offer.ts'
import { KeepVoucher } from './keep-voucher.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { TillDialog } from './till-dialog.tsx'
import type { View } from './use-voucher.ts'
import { voucherLink } from '../ui/voucher-address.ts'
import './voucher-view.css'
import { dayAt, VoucherFacts } from './voucher-facts.tsx'
import { VoucherHistory } from './voucher-history.tsx'

type VoucherViewProps = {
  readonly view: Extract<View, { kind: 'shown' }>
  readonly isAsking: boolean
  readonly onRefresh: () => void
}

export function VoucherView({ view, isAsking, onRefresh }: VoucherViewProps) {
  const { voucher, askedAt, failure } = view
  return (
    <div className="voucher" aria-busy={isAsking}>
      <div className="voucher-ticket">
        <StateNotice voucher={voucher} />
        <VoucherTicket voucher={voucher} />
        {failure !== null && <Notice kind="error">{explain(failure).lead} What you see is from before.</Notice>}
        <div className="voucher-asked">
          <p className="soft">
            Asked at <Moment at={askedAt} form="time" />
          </p>
          <Button kind="bare" aria-disabled={isAsking} onClick={() => !isAsking && onRefresh()}>
            {isAsking ? 'Asking' : 'Refresh'}
          </Button>
        </div>
      </div>
      <VoucherFacts voucher={voucher} now={askedAt} />
      <VoucherHistory history={voucher.history} currency={voucher.currency} />
      <div className="voucher-keep">
        <KeepVoucher voucher={voucher} />
        <InstallHint opens={isAppleTouch() ? 'It opens this voucher.' : 'It opens the vouchers that you kept.'} />
      </div>
    </div>
  )
}

function VoucherTicket({ voucher }: { readonly voucher: Voucher }) {
  const [isAtTill, setIsAtTill] = useState(false)
  return (
    <>
      <Ticket
        heading={<PageHeading above="Voucher from">{voucher.issuer}</PageHeading>}
        state={stateOf(voucher)}
        balance={leftOf(voucher)}
        amount={voucher.amount}
        currency={voucher.currency}
        code={voucher.code}
        merchantCode={voucher.merchantCode}
        codeAct={<CopyButton text={voucher.code} />}
        qr={<QrCode content={voucherLink(voucher)} label="QR code of this voucher" />}
        act={
          <Button kind="main" onClick={() => setIsAtTill(true)}>
            Show at the till
          </Button>
        }
      />
      {isAtTill && <TillDialog voucher={voucher} onClose={() => setIsAtTill(false)} />}
    </>
  )
}

function StateNotice({ voucher }: { readonly voucher: Voucher }) {
  const state = stateOf(voucher)
  if (state === 'open') return null
  if (state === 'used up')
    return <Notice>This voucher is used up. If a shop refunds you, the money comes back to it.</Notice>
  return (
    <Notice>
      This voucher could be used until {writeMoment(dayAt(voucher.lastDay), 'day')}.{' '}
      {voucher.expiredTo === 'payer'
        ? 'What was left goes back to whoever paid for it.'
        : `What was left is set aside. Ask ${voucher.issuer} about it.`}
    </Notice>
  )
}

/** Of an expired one what was left, which has been moved since. */
function leftOf({ isExpired, balance, history }: Voucher): string {
  const [last] = history
  return isExpired && last?.kind === 'expired' ? last.amount : balance
}

function stateOf({ isExpired, balance }: Voucher): TicketState {
  if (isExpired) return 'expired'
  return isZero(balance) ? 'used up' : 'open'
}
