import { ArrowUpRight, CalendarX2, Gift, type LucideIcon, Plus, RotateCcw, ShoppingBag, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { IconTile } from '../ui/avatar.tsx'
import { Card, Row } from '../ui/card.tsx'
import { shortAddress } from '../ui/explorer-link.tsx'
import { Moment } from '../ui/moment.tsx'
import type { HistoryEntry } from './request-voucher.ts'
import { words } from './words.ts'

type VoucherHistoryProps = { readonly history: readonly HistoryEntry[]; readonly currency: Currency }

export function VoucherHistory({ history, currency }: VoucherHistoryProps): ReactNode {
  return (
    <section className="voucher-history" aria-labelledby="history-heading">
      <h2 id="history-heading">{words.history.heading}</h2>
      <Card hasPadding={history.length === 0}>
        {history.length === 0 ? (
          <p className="soft">{words.history.empty}</p>
        ) : (
          <ol className="row-list">
            {history.map((entry) => (
              <li key={entry.id}>
                <Entry entry={entry} currency={currency} />
              </li>
            ))}
          </ol>
        )}
      </Card>
    </section>
  )
}

type Style = { readonly icon: LucideIcon; readonly sign: '+' | '−'; readonly tone: 'plain' | 'in' | 'lost' }

const styles: Readonly<Record<HistoryEntry['kind'], Style>> = {
  redeemed: { icon: ShoppingBag, sign: '−', tone: 'plain' },
  refunded: { icon: Undo2, sign: '+', tone: 'in' },
  expired: { icon: CalendarX2, sign: '−', tone: 'lost' },
  reopened: { icon: RotateCcw, sign: '+', tone: 'in' },
  returned: { icon: Undo2, sign: '+', tone: 'in' },
  reloaded: { icon: Plus, sign: '+', tone: 'in' },
  undone: { icon: Undo2, sign: '−', tone: 'plain' },
  issued: { icon: Gift, sign: '+', tone: 'plain' },
}

type EntryProps = { readonly entry: HistoryEntry; readonly currency: Currency }

/** The title is the shop, or the kind of entry if no shop took part. */
function Entry({ entry, currency }: EntryProps) {
  const { kind, amount, charge, at, payout } = entry
  const { icon, sign, tone } = styles[kind]
  // A payment to an address names it. Its merchant is the platform, which the holder does not know.
  const isToAddress = payout !== null && payout.recipient !== ''
  const place = isToAddress ? shortAddress(payout.recipient) : entry.place
  const name = payout === null ? words.history[kind] : words.history.payouts[payout.status]
  const detail = charge === '' ? name : words.history.withFee(name, writeAmount(charge, currency))
  return (
    <Row
      lead={<IconTile icon={isToAddress ? ArrowUpRight : icon} ink={tone === 'in' ? 'green' : 'none'} />}
      title={place || name}
      detail={
        <>
          {place !== '' && `${detail}, `}
          <Moment at={at} />
        </>
      }
      end={
        <p className="row-amount">
          <Amount value={amount} currency={currency} sign={sign} tone={tone} />
        </p>
      }
    />
  )
}
