import type { ReactNode } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { HistoryList, type HistoryRow } from '../ui/history-list.tsx'
import { shortAddress } from '../ui/explorer-link.tsx'
import type { HistoryEntry } from './request-voucher.ts'
import { words } from './words.ts'

type VoucherHistoryProps = { readonly history: readonly HistoryEntry[]; readonly currency: Currency }

export function VoucherHistory({ history, currency }: VoucherHistoryProps): ReactNode {
  return (
    <section className="voucher-history" aria-labelledby="history-heading">
      <h2 id="history-heading">{words.history.heading}</h2>
      {history.length === 0 ? (
        <p className="soft">{words.history.empty}</p>
      ) : (
        <HistoryList rows={history.map((entry) => toRow(entry, currency))} />
      )}
    </section>
  )
}

const styles = {
  redeemed: { sign: '−', tone: 'plain' },
  refunded: { sign: '+', tone: 'in' },
  expired: { sign: '−', tone: 'lost' },
  reopened: { sign: '+', tone: 'in' },
  returned: { sign: '+', tone: 'in' },
  issued: { sign: '', tone: 'plain' },
} as const

/** The title is the shop, or the kind of entry if no shop took part. */
function toRow(entry: HistoryEntry, currency: Currency): HistoryRow {
  const { id, kind, amount, charge, at, payout } = entry
  const { sign, tone } = styles[kind]
  // A payment to an address names it. Its merchant is the platform, which the holder does not know.
  const isToAddress = payout !== null && payout.recipient !== ''
  const place = isToAddress ? shortAddress(payout.recipient) : entry.place
  const name = payout === null ? words.history[kind] : words.history.payouts[payout.status]
  const detail = charge === '' ? name : words.history.withFee(name, writeAmount(charge, currency))
  return {
    id,
    title: place || name,
    detail: place === '' ? '' : detail,
    at,
    amount: <Amount value={amount} currency={currency} sign={sign} tone={tone} />,
  }
}
