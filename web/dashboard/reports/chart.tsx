import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { addDecimals, perMille, subtractDecimal } from '../../ui/decimal.ts'
import type { DayMoved } from '../shell/responses.ts'
import './chart.css'
import { addDays, writeDay } from '../parts/days.ts'
import { kindsIn, kindsOut } from '../parts/kinds.ts'
import { formatMoney, Money } from '../shell/shop.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { nameOf, words } from '../words/words.ts'

type ChartProps = { readonly days: readonly DayMoved[]; readonly currency: string; readonly today: string }
type Day = { readonly day: string; readonly moved: readonly DayMoved[] }
/** The highest day above and below the line, and the position of the line from the top. */
type Scale = { readonly highestIn: string; readonly range: string; readonly line: number }

const daysShown = 30
// Issued vouchers are not spent yet, and a large batch would make every sale look small.
const hiddenAtFirst = ['VOUCHER_PURCHASE']
const width = 900
const height = 220
const axisWidth = 1
const slot = width / daysShown

/** Money in above the line and money out below it, by day. */
export default function Chart({ days, currency, today }: ChartProps): ReactNode {
  const [selected, setSelected] = useState(daysShown - 1)
  const [hidden, setHidden] = useState<readonly string[]>(hiddenAtFirst)
  const all = lastDays(days, today)
  const kinds = [...kindsIn, ...kindsOut].filter((kind) => days.some((each) => each.kind === kind))
  const isDrawn = (kind: string): boolean => !hidden.includes(kind)
  const scale = scaleOf(all, isDrawn)
  const day = all[selected]
  const toggle = (kind: string) => setHidden(isDrawn(kind) ? [...hidden, kind] : hidden.filter((each) => each !== kind))
  return (
    <div className="chart">
      <Legend kinds={kinds} isDrawn={isDrawn} onToggle={toggle} />
      <DaySlider selected={selected} day={day} currency={currency} onSelect={setSelected}>
        <Drawing days={all} selected={selected} scale={scale} isDrawn={isDrawn} onSelect={setSelected} />
      </DaySlider>
      <div className="chart-ends soft" aria-hidden="true">
        <span>{writeDay(addDays(today, 1 - daysShown), 'short')}</span>
        <span>{words.home.highestDay(formatMoney(scale.highestIn, currency))}</span>
        <span>{writeDay(today, 'short')}</span>
      </div>
      {day !== undefined && <Readout day={day} currency={currency} />}
      <details className="chart-table">
        <summary>{words.home.asTable}</summary>
        <DaysTable days={all.filter(({ moved }) => moved.length > 0)} kinds={kinds} currency={currency} />
      </details>
    </div>
  )
}

function lastDays(days: readonly DayMoved[], today: string): Day[] {
  return Array.from({ length: daysShown }, (_, index) => {
    const day = addDays(today, index - daysShown + 1)
    return { day, moved: days.filter((each) => each.day === day) }
  })
}

function scaleOf(days: readonly Day[], isDrawn: (kind: string) => boolean): Scale {
  const findHighest = (kinds: readonly string[]): string =>
    days
      .map(({ moved }) => sumOf(moved, kinds.filter(isDrawn)))
      .reduce((highest, each) => (isLess(highest, each) ? each : highest), '0')
  const highestIn = findHighest(kindsIn)
  const range = addDecimals([highestIn, findHighest(kindsOut)])
  return { highestIn, range, line: (height * perMille(highestIn, range)) / 1000 }
}

type LegendProps = {
  readonly kinds: readonly string[]
  readonly isDrawn: (kind: string) => boolean
  readonly onToggle: (kind: string) => void
}

function Legend({ kinds, isDrawn, onToggle }: LegendProps) {
  return (
    <ul className="chart-legend" aria-label={words.home.legend}>
      {kinds.map((kind) => (
        <li key={kind}>
          <button type="button" aria-pressed={isDrawn(kind)} onClick={() => onToggle(kind)}>
            <span className="chart-swatch" data-kind={kind} aria-hidden="true" />
            {nameOf(words.types, kind)}
          </button>
        </li>
      ))}
    </ul>
  )
}

type DaySliderProps = {
  readonly selected: number
  readonly day: Day | undefined
  readonly currency: string
  readonly onSelect: (index: number) => void
  readonly children: ReactNode
}

/** Selects a day by the arrow keys. */
function DaySlider({ selected, day, currency, onSelect, children }: DaySliderProps) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    onSelect(Math.min(daysShown - 1, Math.max(0, selected + step)))
  }
  return (
    <div
      className="chart-days"
      role="slider"
      tabIndex={0}
      aria-label={`${words.home.chartOf(currency)}. ${words.home.chartKeys}`}
      aria-valuemin={1}
      aria-valuemax={daysShown}
      aria-valuenow={selected + 1}
      aria-valuetext={day === undefined ? '' : describeDay(day, currency)}
      onKeyDown={move}
    >
      {children}
    </div>
  )
}

type DrawingProps = {
  readonly days: readonly Day[]
  readonly selected: number
  readonly scale: Scale
  readonly isDrawn: (kind: string) => boolean
  readonly onSelect: (index: number) => void
}

function Drawing({ days, selected, scale, isDrawn, onSelect }: DrawingProps) {
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {days.map(({ day, moved }, index) => (
        <g key={day} onPointerEnter={() => onSelect(index)} onPointerDown={() => onSelect(index)}>
          <rect
            className="chart-slot"
            data-chosen={index === selected || undefined}
            x={index * slot}
            width={slot}
            height={height}
          />
          <Bars moved={moved.filter(({ kind }) => isDrawn(kind))} x={index * slot} scale={scale} />
        </g>
      ))}
      <rect className="chart-axis" x={0} y={scale.line - axisWidth / 2} width={width} height={axisWidth} />
    </svg>
  )
}

type BarsProps = { readonly moved: readonly DayMoved[]; readonly x: number; readonly scale: Scale }

function Bars({ moved, x, scale: { line, range } }: BarsProps) {
  const heightOf = (kind: string): number => (height * perMille(sumOf(moved, [kind]), range)) / 1000
  let top = line
  let bottom = line
  const bars = [...kindsIn, ...kindsOut].map((kind) => {
    const size = heightOf(kind)
    const isAbove = (kindsIn as readonly string[]).includes(kind)
    const y = isAbove ? top - size : bottom
    if (isAbove) top -= size
    else bottom += size
    return { kind, y, size }
  })
  return bars
    .filter(({ size }) => size > 0)
    .map(({ kind, y, size }) => (
      <rect
        key={kind}
        className="chart-bar"
        data-kind={kind}
        x={x + slot * 0.15}
        y={y}
        width={slot * 0.7}
        height={size}
      />
    ))
}

/** The amounts of the selected day. */
function Readout({ day: { day, moved }, currency }: { readonly day: Day; readonly currency: string }) {
  return (
    <div className="chart-readout">
      <strong>{writeDay(day, 'short')}</strong>
      {moved.length === 0 && <span className="soft">{words.home.nothingThatDay}</span>}
      {moved.map(({ kind, amount, count }) => (
        <span key={kind}>
          {nameOf(words.types, kind)}
          {words.colon} <Money value={amount} code={currency} />{' '}
          <span className="soft">{words.transactions(count)}</span>
        </span>
      ))}
    </div>
  )
}

type DaysTableProps = { readonly days: readonly Day[]; readonly kinds: readonly string[]; readonly currency: string }

function DaysTable({ days, kinds, currency }: DaysTableProps) {
  const columns: readonly Column<Day>[] = [
    { name: words.home.dayColumn, kind: 'head', cell: ({ day }) => writeDay(day, 'short') },
    ...kinds.map(
      (kind): Column<Day> => ({
        name: nameOf(words.types, kind),
        kind: 'amount',
        cell: ({ moved }) =>
          moved.some((each) => each.kind === kind) ? <Money value={sumOf(moved, [kind])} code={currency} /> : '',
      }),
    ),
  ]
  return (
    <Table caption={words.home.chartOf(currency)} columns={columns} rows={days.toReversed()} keyOf={({ day }) => day} />
  )
}

function isLess(a: string, b: string): boolean {
  return subtractDecimal(a, b).startsWith('-')
}

function sumOf(moved: readonly DayMoved[], kinds: readonly string[]): string {
  return addDecimals(moved.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount))
}

function describeDay({ day, moved }: Day, currency: string): string {
  const parts = moved.map(({ kind, amount }) => `${nameOf(words.types, kind)} ${formatMoney(amount, currency)}`)
  return `${writeDay(day, 'short')}${words.colon} ${parts.length === 0 ? words.home.nothingThatDay : parts.join(', ')}`
}
