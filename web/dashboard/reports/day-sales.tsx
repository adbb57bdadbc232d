import type { ReactNode } from 'react'
import { addDecimals, isZero, subtractDecimal } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { SalesReport, Shift, TenderCount } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Loaded, Money, useShop } from '../shell/shop.tsx'
import { writeDay } from '../parts/days.ts'
import { ShiftFacts } from '../parts/shift-facts.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'

/** Vouchers that were sold on a day: the tenders of each cashier in each shift, and what was in the drawers. */
export function DaySales({ day }: { readonly day: string }): ReactNode {
  const known = useKnown<SalesReport>(`/merchant/sales-report?day=${day}`)
  return (
    <section className="section">
      <h2>{selling.report.heading}</h2>
      <Loaded known={known}>{(report) => <Report report={report} />}</Loaded>
    </section>
  )
}

function Report({ report: { day, tenders, shifts } }: { readonly report: SalesReport }) {
  const { merchant } = useShop()
  if (tenders.length === 0 && shifts.length === 0)
    return <Empty heading={selling.report.none} lead={selling.report.noneLead} />
  const known = new Set(shifts.map(({ id }) => id))
  const others = tenders.filter(({ shiftId }) => !known.has(shiftId))
  return (
    <div className="day printed">
      <p className="day-head">
        <strong>{merchant.name}</strong> {writeDay(day)}
      </p>
      {shifts.map((shift) => (
        <OneShift key={shift.id} shift={shift} counts={tenders.filter(({ shiftId }) => shiftId === shift.id)} />
      ))}
      {others.length > 0 && <Tenders heading={selling.report.noShift} counts={others} />}
      {tenders.length > 0 && <Tenders heading={words.day.all} counts={sumByTender(tenders)} isTotal />}
    </div>
  )
}

function OneShift({ shift, counts }: { readonly shift: Shift; readonly counts: readonly TenderCount[] }) {
  const heading = selling.report.shift(shift.register, shift.location)
  return (
    <section className="day-cashier">
      <h3>{heading}</h3>
      <div className="day-shift">
        <ShiftFacts shift={shift} />
      </div>
      {counts.length > 0 && <CountTable caption={heading} columns={columns} counts={counts} />}
    </section>
  )
}

type TendersProps = {
  readonly heading: string
  readonly counts: readonly TenderCount[]
  readonly isTotal?: boolean
}

function Tenders({ heading, counts, isTotal = false }: TendersProps) {
  return (
    <section className="day-cashier">
      <h3>{heading}</h3>
      <CountTable caption={heading} columns={isTotal ? totalColumns : columns} counts={counts} />
    </section>
  )
}

type CountTableProps = {
  readonly caption: string
  readonly columns: readonly Column<TenderCount>[]
  readonly counts: readonly TenderCount[]
}

function CountTable({ caption, columns: shown, counts }: CountTableProps) {
  const keyOf = ({ shiftId, cashier, tender, currency }: TenderCount): string =>
    [shiftId, cashier, tender, currency].join(' ')
  return <Table caption={caption} columns={shown} rows={counts} keyOf={keyOf} />
}

const totalColumns: readonly Column<TenderCount>[] = [
  { name: selling.report.tender, kind: 'head', cell: ({ tender }) => selling.tenders[tender] },
  amount(selling.report.value, ({ value }) => value),
  amount(
    selling.report.taken,
    ({ taken }) => taken,
    ({ sold }) => (sold === 0 ? '' : selling.report.count(sold)),
  ),
  amount(
    selling.report.given,
    ({ given }) => given,
    ({ paidBack }) => (paidBack === 0 ? '' : selling.report.back(paidBack)),
  ),
  {
    name: selling.report.net,
    kind: 'amount',
    cell: ({ taken, given, currency }) => (
      <strong>
        <Money value={subtractDecimal(taken, given)} code={currency} />
      </strong>
    ),
  },
]

const columns: readonly Column<TenderCount>[] = [
  ...totalColumns.slice(0, 1),
  { name: selling.report.cashier, cell: ({ cashier }) => (cashier === '' ? words.day.keys : cashier) },
  ...totalColumns.slice(1),
]

function amount(
  name: string,
  select: (count: TenderCount) => string,
  note: (count: TenderCount) => string = () => '',
): Column<TenderCount> {
  return {
    name,
    kind: 'amount',
    cell: (count) => (
      <span className="day-sum">
        <Money value={select(count)} code={count.currency} tone={isZero(select(count)) ? 'soft' : 'plain'} />
        {note(count) !== '' && <span className="soft">{note(count)}</span>}
      </span>
    ),
  }
}

function sumByTender(counts: readonly TenderCount[]): TenderCount[] {
  const groups = Map.groupBy(counts, ({ currency, tender }) => `${currency} ${tender}`)
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const sum = (select: (count: TenderCount) => string) => addDecimals(same.map(select))
    return [
      {
        ...first,
        ...{ shiftId: '', cashier: '' },
        sold: same.reduce((total, { sold }) => total + sold, 0),
        paidBack: same.reduce((total, { paidBack }) => total + paidBack, 0),
        value: sum(({ value }) => value),
        taken: sum(({ taken }) => taken),
        given: sum(({ given }) => given),
      },
    ]
  })
}
