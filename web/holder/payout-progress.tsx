import { Check, Loader, type LucideIcon, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../ui/avatar.tsx'
import { type Currency, writeAmount } from '../ui/amount.tsx'
import { shortDecimal, subtractDecimal } from '../ui/decimal.ts'
import { ExplorerLink } from '../ui/explorer-link.tsx'
import { Notice } from '../ui/notice.tsx'
import { PayoutAddress } from './payout-confirm.tsx'
import type { HistoryEntry, Payout } from './request-voucher.ts'
import { words } from './words.ts'

type PayoutProgressProps = {
  readonly entry: HistoryEntry
  readonly currency: Currency
  readonly children: ReactNode
}

/** A payment on its network: on its way, then done or failed. */
export function PayoutProgress({ entry, currency, children }: PayoutProgressProps): ReactNode {
  const { payout, amount, charge, place } = entry
  if (payout === null) return null
  const money = writeAmount(shortDecimal(charge === '' ? amount : subtractDecimal(amount, charge)), currency)
  const { heading, lead } = describePayout(payout, money, place)
  return (
    <div className="payout-step" role="status">
      <h2 id="payout-heading" className="payout-state" data-status={payout.status}>
        <IconTile {...signs[payout.status]} />
        {heading}
      </h2>
      {payout.status === 'FAILED' ? <Notice kind="error">{lead}</Notice> : <p>{lead}</p>}
      {payout.recipient !== '' && (
        <div>
          <p className="soft">{words.payout.to}</p>
          <PayoutAddress address={payout.recipient} />
        </div>
      )}
      <p>
        {payout.transactionHash !== '' ? (
          <ExplorerLink url={payout.transactionUrl}>{words.payout.transaction}</ExplorerLink>
        ) : (
          payout.status === 'PROCESSING' && <span className="soft">{words.payout.notSentYet}</span>
        )}
      </p>
      {children !== false && <div>{children}</div>}
    </div>
  )
}

type Sign = { readonly icon: LucideIcon; readonly ink: 'blue' | 'green' | 'red' }

const signs: Readonly<Record<Payout['status'], Sign>> = {
  PROCESSING: { icon: Loader, ink: 'blue' },
  COMPLETED: { icon: Check, ink: 'green' },
  FAILED: { icon: X, ink: 'red' },
}

function describePayout(
  { status, recipient, network }: Payout,
  money: string,
  shop: string,
): { readonly heading: string; readonly lead: string } {
  const isSale = recipient === ''
  const { payout } = words
  if (status === 'FAILED') return { heading: payout.failed, lead: payout.failedLead(money) }
  if (status === 'PROCESSING')
    return {
      heading: payout.processing,
      lead: isSale ? payout.saleLead(money, shop) : payout.processingLead(money, network),
    }
  return isSale
    ? { heading: payout.saleCompleted, lead: payout.saleCompletedLead(money, shop) }
    : { heading: payout.completed, lead: payout.completedLead(money, network) }
}
