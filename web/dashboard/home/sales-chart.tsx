import { ChartColumn, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Chart, type ChartDay } from '../../ui/chart.tsx'
import { addDecimals, perMilleChange } from '../../ui/decimal.ts'
import { formatTick } from '../../ui/numbers.ts'
import { Delta } from '../../ui/pill.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { DayMoved } from '../shell/responses.ts'
import { addDays, writeDay } from '../parts/days.ts'
import { kindsIn, kindsOut } from '../parts/kinds.ts'
import { formatMoney, Money } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'

type SalesProps = { readonly days: readonly DayMoved[]; readonly currency: string; readonly today: string }
type Span = '7' | '30'
type View = 'chart' | 'table'

/** Money in by day, compared with as many days before. The table has money out too. */
export default function Sales({ days, currency, today }: SalesProps): ReactNode {
  const [span, setSpan] = useState<Span>('30')
  const [view, setView] = useState<View>('chart')
  const own = days.filter((moved) => moved.currency === currency)
  const shown = daysOf(own, today, Number(span))
  const total = addDecimals(shown.flatMap(({ values }) => Object.values(values)))
  const before = addDecimals(shown.map(({ prior }) => prior))
  const acts = (
    <div className="acts">
      <Segmented
        label={words.home.span}
        value={span}
        options={[
          ['7', words.home.spanDays(7)],
          ['30', words.home.spanDays(30)],
        ]}
        onChoose={setSpan}
      />
      <Segmented
        label={words.home.view}
        value={view}
        options={[
          ['chart', <Named key="chart" name={words.home.asChart} icon={<ChartColumn aria-hidden="true" />} />],
          ['table', <Named key="table" name={words.home.asTable} icon={<Table2 aria-hidden="true" />} />],
        ]}
        onChoose={setView}
      />
    </div>
  )
  return (
    <Card heading={words.home.salesIn(Number(span))} act={acts}>
      <div className="home-chart">
        <p className="home-chart-total">
          <Money value={total} code={currency} />
          <TotalChange total={total} before={before} span={Number(span)} />
        </p>
        {view === 'chart' ? (
          <Chart
            label={`${words.home.chartOf(currency)}. ${words.home.chartKeys}`}
            series={kindsIn.map((key) => ({ key, name: nameOf(words.types, key) }))}
            days={shown}
            priorName={words.home.daysBefore(Number(span))}
            totalName={words.home.total}
            format={(value) => formatMoney(value, currency)}
            formatTick={(value) => formatTick(value, currency)}
          />
        ) : (
          <DaysTable days={own} from={shown[0]?.key ?? today} currency={currency} />
        )}
      </div>
    </Card>
  )
}

function Named({ name, icon }: { readonly name: string; readonly icon: ReactNode }) {
  return (
    <>
      {icon}
      <span className="for-screen-readers">{name}</span>
    </>
  )
}

type TotalChangeProps = { readonly total: string; readonly before: string; readonly span: number }

/** The change in percent. Nothing to compare with: no change is shown. */
function TotalChange({ total, before, span }: TotalChangeProps) {
  const change = perMilleChange(total, before)
  if (change === null) return null
  return (
    <span className="home-kpi-change">
      <Delta change={change === 0 ? 'none' : change > 0 ? 'up' : 'down'}>
        {change === 0 ? words.home.noChange : words.home.percent(Math.abs(change) / 10)}
      </Delta>{' '}
      {words.home.vsDaysBefore(span)}
    </span>
  )
}

function daysOf(moved: readonly DayMoved[], today: string, count: number): ChartDay[] {
  return Array.from({ length: count }, (_, index) => {
    const key = addDays(today, index - count + 1)
    const before = addDays(key, -count)
    return {
      key,
      name: writeDay(key),
      shortName: key === today ? words.home.todayShort : writeDay(key, 'dayMonth'),
      values: Object.fromEntries(kindsIn.map((kind) => [kind, sumOf(moved, key, kind)])),
      prior: addDecimals(kindsIn.map((kind) => sumOf(moved, before, kind))),
      isOpen: key === today,
    }
  })
}

function sumOf(moved: readonly DayMoved[], day: string, kind: string): string {
  return addDecimals(moved.filter((each) => each.day === day && each.kind === kind).map(({ amount }) => amount))
}

type DaysTableProps = { readonly days: readonly DayMoved[]; readonly from: string; readonly currency: string }

function DaysTable({ days, from, currency }: DaysTableProps) {
  const shown = days.filter(({ day }) => day >= from)
  const kinds = [...kindsIn, ...kindsOut].filter((kind) => shown.some((each) => each.kind === kind))
  const rows = [...new Set(shown.map(({ day }) => day))].toSorted().toReversed()
  const columns: readonly Column<string>[] = [
    { name: words.home.dayColumn, kind: 'head', cell: (day) => writeDay(day, 'short') },
    ...kinds.map(
      (kind): Column<string> => ({
        name: nameOf(words.types, kind),
        kind: 'amount',
        cell: (day) =>
          shown.some((each) => each.day === day && each.kind === kind) ? (
            <Money value={sumOf(shown, day, kind)} code={currency} />
          ) : (
            ''
          ),
      }),
    ),
  ]
  if (rows.length === 0) return <p className="soft">{words.home.noDays}</p>
  return <Table caption={words.home.chartOf(currency)} columns={columns} rows={rows} keyOf={(day) => day} />
}
