import { Amount, type Currency } from '../ui/amount.tsx'
import { groupDecimal } from '../ui/decimal.ts'
import { HistoryList, type HistoryRow } from '../ui/history-list.tsx'
import type { HistoryEntry } from './ask-voucher.ts'

type VoucherHistoryProps = { readonly history: readonly HistoryEntry[]; readonly currency: Currency }

export function VoucherHistory({ history, currency }: VoucherHistoryProps) {
  return (
    <section className="voucher-history" aria-labelledby="history-heading">
      <h2 id="history-heading">History</h2>
      {history.length === 0 ? (
        <p className="soft">Nothing has happened yet. What you spend will be listed here.</p>
      ) : (
        <HistoryList rows={history.map((entry) => toRow(entry, currency))} />
      )}
    </section>
  )
}

const looks = {
  redeemed: { words: 'Spent', sign: '−', tone: 'plain' },
  refunded: { words: 'Refunded', sign: '+', tone: 'in' },
  expired: { words: 'Expired', sign: '−', tone: 'lost' },
  reopened: { words: 'Reopened', sign: '+', tone: 'in' },
  issued: { words: 'Issued', sign: '', tone: 'plain' },
} as const

/** The shop stands out where there is one, and otherwise what happened. */
function toRow({ id, kind, amount, charge, at, place }: HistoryEntry, currency: Currency): HistoryRow {
  const { words, sign, tone } = looks[kind]
  const detail = charge === '' ? words : `${words}, ${currency.symbol}${groupDecimal(charge)} of it charges`
  return {
    id,
    title: place || words,
    detail: place === '' ? '' : detail,
    at,
    amount: <Amount value={amount} currency={currency} sign={sign} tone={tone} />,
  }
}
