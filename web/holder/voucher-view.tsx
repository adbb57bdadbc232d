import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Moment, writeMoment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Voucher } from './request-voucher.ts'
import { describeFailure } from './describe-failure.ts'
import { InstallHint } from './install-hint.tsx'
import { isAppleTouch } from './install-offer.ts'
import { SaveVoucher } from './save-voucher.tsx'
import type { ActOnVoucher, View } from './use-voucher.ts'
import './voucher-view.css'
import { dayAt, VoucherFacts } from './voucher-facts.tsx'
import { VoucherHistory } from './voucher-history.tsx'
import { VoucherPayout } from './voucher-payout.tsx'
import { stateOf, VoucherTicket } from './voucher-ticket.tsx'
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
      <div className="voucher-ticket" data-shop-code={voucher.merchantCode !== '' || undefined}>
        <StateNotice voucher={voucher} />
        <VoucherTicket voucher={voucher} now={updatedAt} />
        {failure !== null && (
          <Notice kind="error">
            {describeFailure(failure).lead} {words.voucher.stale}
          </Notice>
        )}
        <div className="voucher-updated">
          <p className="soft">
            {words.voucher.updated} <Moment at={updatedAt} form="time" />
          </p>
          <Button kind="bare" size="s" aria-disabled={isLoading} onClick={() => !isLoading && onRefresh()}>
            <RefreshCw aria-hidden="true" />
            {isLoading ? words.loading : words.voucher.refresh}
          </Button>
        </div>
      </div>
      <div className="voucher-column">
        <VoucherPayout voucher={voucher} act={act} onChange={onRefresh} />
        <VoucherFacts voucher={voucher} />
      </div>
      <div className="voucher-column">
        <VoucherHistory history={voucher.history} currency={voucher.currency} />
        <SaveVoucher voucher={voucher} />
        <InstallHint opens={isAppleTouch() ? words.install.opensVoucher : words.install.opensSaved} />
      </div>
    </div>
  )
}

function StateNotice({ voucher }: { readonly voucher: Voucher }) {
  const state = stateOf(voucher)
  const { onchain } = voucher
  if (onchain !== null && onchain.state !== 'open')
    return <Notice kind="wait">{words.onchain[onchain.state](onchain.network)}</Notice>
  if (state === 'open') return null
  if (state === 'used') return <Notice>{words.voucher.fullyUsed}</Notice>
  return (
    <Notice>
      {words.voucher.expired(writeMoment(dayAt(voucher.lastDay), 'day'))}{' '}
      {voucher.expiredTo === 'payer' ? words.voucher.leftToPayer : words.voucher.leftUnclaimed(voucher.issuer)}
    </Notice>
  )
}
