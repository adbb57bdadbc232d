import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/button.tsx'
import { addDecimals, subtractDecimal } from '../../ui/decimal.ts'
import { DateField } from '../../ui/date-field.tsx'
import type { CountRow, DayCount } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import './day.css'
import { DaySales } from './day-sales.tsx'
import { Screen } from '../shell/frame.tsx'
import { go, place, useSearchParams } from '../shell/place.ts'
import { addDays, writeDay } from '../parts/days.ts'
import { Money, Loaded, useShop } from '../shell/shop.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { words } from '../words/words.ts'

/** Sales by cashier and currency, to compare with the receipts at closing time. */
export function Day(): ReactNode {
  const chosen = useSearchParams().get('day') ?? ''
  const known = useKnown<DayCount>(`/merchant/day-count${chosen === '' ? '' : `?day=${chosen}`}`)
  return (
    <Screen heading={words.day.heading} acts={<Button onClick={() => print()}>{words.print}</Button>}>
      <Loaded known={known}>{(count) => <Count count={count} />}</Loaded>
    </Screen>
  )
}

function Count({ count: { day, today, cashiers } }: { readonly count: DayCount }) {
  const { merchant } = useShop()
  const show = (other: string) => go(other === today ? '/day' : `/day?day=${other}`)
  const all = sumByCurrency(cashiers.flatMap(({ rows }) => rows))
  return (
    <>
      <div className="day-choice">
        <Button onClick={() => show(addDays(day, -1))}>← {words.day.previous}</Button>
        <DateField
          label={words.day.choose}
          max={today}
          value={day}
          onDay={(chosen = '') => chosen !== '' && show(chosen)}
        />
        <Button aria-disabled={day >= today} onClick={() => day < today && show(addDays(day, 1))}>
          {words.day.next} →
        </Button>
        {day !== today && (
          <Button kind="bare" onClick={() => show(today)}>
            {words.day.today}
          </Button>
        )}
      </div>
      {cashiers.length === 0 ? (
        <Empty heading={words.day.none} lead={words.day.noneLead} />
      ) : (
        <div className="day printed">
          <p className="day-head">
            <strong>{merchant.name}</strong> {writeDay(day)}
          </p>
          {place?.mode === 'test' && <p className="print-only">{words.receipt.test}</p>}
          {cashiers.map(({ id, name, rows }) => (
            <CountOf key={id} name={id === '' ? words.day.keys : name} rows={rows} />
          ))}
          {cashiers.length > 1 && <CountOf name={words.day.all} rows={all} />}
          <p className="soft">{words.day.netHint}</p>
        </div>
      )}
      <DaySales key={day} day={day} />
    </>
  )
}

const columns: readonly Column<CountRow>[] = [
  { name: words.currency, kind: 'head', cell: ({ currency }) => currency },
  counted(words.day.redeemed, words.day.sales, ({ redeemed }) => redeemed),
  {
    name: words.day.fees,
    kind: 'amount',
    cell: ({ charges, currency }) => <Money value={charges} code={currency} tone="soft" />,
  },
  counted(words.day.refunded, words.day.refunds, ({ refunded }) => refunded),
  counted(words.day.issued, words.transactions, ({ issued }) => issued),
  {
    name: words.day.net,
    kind: 'amount',
    cell: ({ redeemed, refunded, currency }) => (
      <strong>
        <Money value={subtractDecimal(redeemed.amount, refunded.amount)} code={currency} />
      </strong>
    ),
  },
]

function counted(
  name: string,
  writeCount: (count: number) => string,
  select: (row: CountRow) => CountRow['redeemed'],
): Column<CountRow> {
  return {
    name,
    kind: 'amount',
    cell: (row) => {
      const { count, amount } = select(row)
      return (
        <span className="day-sum">
          <Money value={amount} code={row.currency} tone={count === 0 ? 'soft' : 'plain'} />
          {count > 0 && <span className="soft">{writeCount(count)}</span>}
        </span>
      )
    },
  }
}

function CountOf({ name, rows }: { readonly name: string; readonly rows: readonly CountRow[] }) {
  return (
    <section className="day-cashier">
      <h2>{name}</h2>
      <Table caption={name} columns={columns} rows={rows} keyOf={({ currency }) => currency} />
    </section>
  )
}

function sumByCurrency(rows: readonly CountRow[]): CountRow[] {
  return [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, same]) => {
    const sum = (select: (row: CountRow) => CountRow['redeemed']) => ({
      count: same.reduce((count, row) => count + select(row).count, 0),
      amount: addDecimals(same.map((row) => select(row).amount)),
    })
    return {
      currency,
      redeemed: sum(({ redeemed }) => redeemed),
      charges: addDecimals(same.map(({ charges }) => charges)),
      refunded: sum(({ refunded }) => refunded),
      issued: sum(({ issued }) => issued),
    }
  })
}
