import { type KeyboardEvent, useState } from 'react'
import { addDecimals, perMille, subtractDecimal } from '../ui/decimal.ts'
import type { DayMoved } from './answers.ts'
import './chart.css'
import { addDays, writeDay } from './days.ts'
import { kindsIn, kindsOut } from './kinds.ts'
import { Figures, sayMoney } from './shop.tsx'
import { type Column, Table } from './table.tsx'
import { nameOf, words } from './words.ts'

type ChartProps = { readonly days: readonly DayMoved[]; readonly currency: string; readonly today: string }
type Day = { readonly day: string; readonly moved: readonly DayMoved[] }

const daysShown = 30
// What was issued is still yours until it is spent, and a thousand vouchers would make every sale look small.
const hiddenAtFirst = ['VOUCHER_PURCHASE']
const [width, height, axisWidth] = [900, 220, 1]
const slot = width / daysShown

/** What came in above the line and what went out below it, day by day. */
export default function Chart({ days, currency, today }: ChartProps) {
  const [chosen, setChosen] = useState(daysShown - 1)
  const [hidden, setHidden] = useState<readonly string[]>(hiddenAtFirst)
  const all = Array.from({ length: daysShown }, (_, place): Day => {
    const day = addDays(today, place - daysShown + 1)
    return { day, moved: days.filter((each) => each.day === day) }
  })
  const isDrawn = (kind: string): boolean => !hidden.includes(kind)
  const highest = (kinds: readonly string[]): string =>
    all
      .map(({ moved }) => sumOf(moved, kinds.filter(isDrawn)))
      .reduce((most, each) => (isLess(most, each) ? each : most), '0')
  const [most, least] = [highest(kindsIn), highest(kindsOut)]
  const whole = addDecimals([most, least])
  const line = (height * perMille(most, whole)) / 1000
  const shown = all[chosen]
  const kinds = [...kindsIn, ...kindsOut].filter((kind) => days.some((each) => each.kind === kind))

  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setChosen(Math.min(daysShown - 1, Math.max(0, chosen + step)))
  }
  return (
    <div className="chart">
      <ul className="chart-legend" aria-label={words.home.legend}>
        {kinds.map((kind) => (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={isDrawn(kind)}
              onClick={() => setHidden(isDrawn(kind) ? [...hidden, kind] : hidden.filter((each) => each !== kind))}
            >
              <span className="chart-swatch" data-kind={kind} aria-hidden="true" />
              {nameOf(words.types, kind)}
            </button>
          </li>
        ))}
      </ul>
      <div
        className="chart-days"
        role="slider"
        tabIndex={0}
        aria-label={`${words.home.chartOf(currency)}. ${words.home.chartKeys}`}
        aria-valuemin={1}
        aria-valuemax={daysShown}
        aria-valuenow={chosen + 1}
        aria-valuetext={shown === undefined ? '' : sayDay(shown, currency)}
        onKeyDown={move}
      >
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {all.map((each, place) => (
            <g key={each.day} onPointerEnter={() => setChosen(place)} onPointerDown={() => setChosen(place)}>
              <rect
                className="chart-slot"
                data-chosen={place === chosen || undefined}
                x={place * slot}
                width={slot}
                height={height}
              />
              <Bars moved={each.moved.filter(({ kind }) => isDrawn(kind))} x={place * slot} line={line} whole={whole} />
            </g>
          ))}
          <rect className="chart-axis" x={0} y={line - axisWidth / 2} width={width} height={axisWidth} />
        </svg>
      </div>
      <div className="chart-ends soft" aria-hidden="true">
        <span>{writeDay(addDays(today, 1 - daysShown), 'short')}</span>
        <span>{words.home.highest(sayMoney(most, currency))}</span>
        <span>{writeDay(today, 'short')}</span>
      </div>
      {shown !== undefined && <Readout day={shown} currency={currency} />}
      <details className="chart-table">
        <summary>{words.home.asTable}</summary>
        <DaysTable days={all.filter(({ moved }) => moved.length > 0)} kinds={kinds} currency={currency} />
      </details>
    </div>
  )
}

type BarsProps = {
  readonly moved: readonly DayMoved[]
  readonly x: number
  readonly line: number
  readonly whole: string
}

function Bars({ moved, x, line, whole }: BarsProps) {
  const tall = (kind: string): number => (height * perMille(sumOf(moved, [kind]), whole)) / 1000
  let [up, down] = [line, line]
  const bars = [...kindsIn, ...kindsOut].map((kind) => {
    const size = tall(kind)
    const isAbove = (kindsIn as readonly string[]).includes(kind)
    const y = isAbove ? up - size : down
    if (isAbove) up -= size
    else down += size
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

/** The chosen day in words. */
function Readout({ day: { day, moved }, currency }: { readonly day: Day; readonly currency: string }) {
  return (
    <div className="chart-readout">
      <strong>{writeDay(day, 'short')}</strong>
      {moved.length === 0 && <span className="soft">{words.home.nothingThatDay}</span>}
      {moved.map(({ kind, amount, count }) => (
        <span key={kind}>
          {nameOf(words.types, kind)}: <Figures value={amount} code={currency} />{' '}
          <span className="soft">{words.day.times(count)}</span>
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
          moved.some((each) => each.kind === kind) ? <Figures value={sumOf(moved, [kind])} code={currency} /> : '',
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

function sayDay({ day, moved }: Day, currency: string): string {
  const parts = moved.map(({ kind, amount }) => `${nameOf(words.types, kind)} ${sayMoney(amount, currency)}`)
  return `${writeDay(day, 'short')}: ${parts.length === 0 ? words.home.nothingThatDay : parts.join(', ')}`
}
