import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { isZero } from '../ui/decimal.ts'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Ticket, type TicketState } from '../ui/ticket.tsx'
import type { Voucher } from './request-voucher.ts'
import { CopyButton } from './copy-button.tsx'
import { describeFailure } from './describe-failure.ts'
import { InstallHint } from './install-hint.tsx'
import { isAppleTouch } from './install-offer.ts'
import { SaveVoucher } from './save-voucher.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { TillDialog } from './till-dialog.tsx'
import type { ActOnVoucher, View } from './use-voucher.ts'
import { voucherLink } from '../ui/voucher-address.ts'
import './voucher-view.css'
import { dayAt, VoucherFacts } from './voucher-facts.tsx'
import { VoucherHistory } from './voucher-history.tsx'
import { VoucherPayout } from './voucher-payout.tsx'
import { words } from './words.ts'

type VoucherViewProps = {
  readonly view: Extract<View, { kind: 'shown' }>
  readonly isLoading: boolean
  readonly act: ActOnVoucher
  readonly onRefresh: () => void
}

export function VoucherView({ view, isLoading, act, onRefresh }: VoucherViewProps): ReactNode {
  const { voucher, updatedAt, failure } = view
  return (
    <div className="voucher" aria-busy={isLoading}>
      <div className="voucher-ticket">
        <StateNotice voucher={voucher} />
        <VoucherTicket voucher={voucher} />
        {failure !== null && (
          <Notice kind="error">
            {describeFailure(failure).lead} {words.voucher.stale}
          </Notice>
        )}
        <div className="voucher-updated">
          <p className="soft">
            {words.voucher.updated} <Moment at={updatedAt} form="time" />
          </p>
          <Button kind="bare" aria-disabled={isLoading} onClick={() => !isLoading && onRefresh()}>
            {isLoading ? words.loading : words.voucher.refresh}
          </Button>
        </div>
      </div>
      <VoucherPayout voucher={voucher} act={act} onChange={onRefresh} />
      <VoucherFacts voucher={voucher} now={updatedAt} />
      <VoucherHistory history={voucher.history} currency={voucher.currency} />
      <div className="voucher-options">
        <SaveVoucher voucher={voucher} />
        <InstallHint opens={isAppleTouch() ? words.install.opensVoucher : words.install.opensSaved} />
      </div>
    </div>
  )
}

function VoucherTicket({ voucher }: { readonly voucher: Voucher }) {
  const [isAtTill, setIsAtTill] = useState(false)
  return (
    <>
      <Ticket
        heading={<PageHeading above={words.voucher.from}>{voucher.issuer}</PageHeading>}
        state={stateOf(voucher)}
        balance={shownBalance(voucher)}
        amount={voucher.amount}
        currency={voucher.currency}
        code={voucher.code}
        merchantCode={voucher.merchantCode}
        codeAct={<CopyButton text={voucher.code} />}
        qr={<QrCode content={voucherLink(voucher)} label={words.voucher.qr} />}
        act={
          <Button kind="main" onClick={() => setIsAtTill(true)}>
            {words.voucher.showAtTill}
          </Button>
        }
      />
      {isAtTill && <TillDialog voucher={voucher} onClose={() => setIsAtTill(false)} />}
    </>
  )
}

function StateNotice({ voucher }: { readonly voucher: Voucher }) {
  const state = stateOf(voucher)
  const { onchain } = voucher
  if (onchain !== null && onchain.state !== 'open')
    return <Notice>{words.onchain[onchain.state](onchain.network)}</Notice>
  if (state === 'open') return null
  if (state === 'used') return <Notice>{words.voucher.fullyUsed}</Notice>
  return (
    <Notice>
      {words.voucher.expired(writeMoment(dayAt(voucher.lastDay), 'day'))}{' '}
      {voucher.expiredTo === 'payer' ? words.voucher.leftToPayer : words.voucher.leftUnclaimed(voucher.issuer)}
    </Notice>
  )
}

/** For an expired voucher, the balance at expiry: the expiry has moved it off the voucher. */
function shownBalance({ isExpired, balance, history }: Voucher): string {
  const [last] = history
  return isExpired && last?.kind === 'expired' ? last.amount : balance
}

function stateOf({ isExpired, balance }: Voucher): TicketState {
  if (isExpired) return 'expired'
  return isZero(balance) ? 'used' : 'open'
}
