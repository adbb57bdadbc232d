import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { addDecimals } from './decimal.ts'
import './chart.css'

type ChartSeries = { readonly key: string; readonly name: string }

export type ChartDay = {
  readonly key: string
  /** In full, for the tooltip. */
  readonly name: string
  /** For the axis. */
  readonly shortName: string
  /** Exact decimals by the key of a series. */
  readonly values: Readonly<Record<string, string>>
  /** The total of the day that it is compared with. */
  readonly prior: string
  /** The day is not over: its bar is hatched. */
  readonly isOpen: boolean
}

type ChartProps = {
  readonly label: string
  readonly series: readonly ChartSeries[]
  readonly days: readonly ChartDay[]
  readonly priorName: string
  readonly totalName: string
  readonly format: (value: string) => string
  /** Short, for the axis: $1K. */
  readonly formatTick: (value: number) => string
}

const height = 200
const gridLines = 4

/** Stacked bars by day with an axis in amounts, and a dotted line for the period before. The arrow keys move between days. */
export function Chart(props: ChartProps): ReactNode {
  const { label, series, days, priorName, totalName, format, formatTick } = props
  const [selected, setSelected] = useState<number | null>(null)
  const top = niceTop(
    Math.max(0, ...days.map((day) => Number(totalOf(day, series))), ...days.map(({ prior }) => Number(prior))),
  )
  const day = selected === null ? undefined : days[selected]
  const described = day ?? days.at(-1)
  return (
    <div className="chart">
      <Legend series={series} priorName={priorName} />
      <div className="chart-plot">
        <div className="chart-ticks" aria-hidden="true">
          {Array.from({ length: gridLines + 1 }, (_, line) => (
            <span key={line}>{formatTick((top * (gridLines - line)) / gridLines)}</span>
          ))}
        </div>
        <div
          className="chart-days"
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={(selected ?? days.length - 1) + 1}
          aria-valuetext={described === undefined ? '' : describeDay(described, props)}
          onFocus={() => setSelected(selected ?? days.length - 1)}
          onBlur={() => setSelected(null)}
          onKeyDown={(event) => setSelected(moveBy(event, selected ?? days.length - 1, days.length))}
          onPointerLeave={() => setSelected(null)}
        >
          <Drawing series={series} days={days} top={top} selected={selected} onSelect={setSelected} />
          {day !== undefined && selected !== null && (
            <Tooltip
              day={day}
              place={(selected + 0.5) / days.length}
              series={series}
              format={format}
              totalName={totalName}
            />
          )}
        </div>
        <div className="chart-names" aria-hidden="true">
          {days.map(({ key, shortName }, index) => (
            <span key={key} data-shown={(days.length - 1 - index) % 5 === 0 || undefined}>
              {shortName}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

function moveBy(event: KeyboardEvent, from: number, count: number): number {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[event.key]
  if (step === undefined) return from
  event.preventDefault()
  return Math.min(count - 1, Math.max(0, from + step))
}

function Legend({ series, priorName }: Pick<ChartProps, 'series' | 'priorName'>) {
  return (
    <ul className="chart-legend">
      {series.map(({ key, name }, index) => (
        <li key={key}>
          <span className="chart-swatch" data-ink={index + 1} aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        <span className="chart-swatch" data-ink="prior" aria-hidden="true" />
        {priorName}
      </li>
    </ul>
  )
}

type DrawingProps = {
  readonly series: readonly ChartSeries[]
  readonly days: readonly ChartDay[]
  readonly top: number
  readonly selected: number | null
  readonly onSelect: (index: number) => void
}

function Drawing({ series, days, top, selected, onSelect }: DrawingProps) {
  const slot = 900 / Math.max(1, days.length)
  const heightOf = (value: string): number => (top === 0 ? 0 : (Number(value) / top) * height)
  const prior = days.map((day, index) => `${(index + 0.5) * slot},${height - heightOf(day.prior)}`).join(' ')
  return (
    <svg viewBox={`0 0 900 ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <defs>
        <pattern id="chart-open" width="5" height="5" patternTransform="rotate(45)" patternUnits="userSpaceOnUse">
          <rect className="chart-hatch" width="2.5" height="5" />
        </pattern>
      </defs>
      {Array.from({ length: gridLines }, (_, line) => (
        <line
          key={line}
          className="chart-grid"
          x2="900"
          y1={(height * line) / gridLines}
          y2={(height * line) / gridLines}
        />
      ))}
      {days.map((day, index) => (
        <g key={day.key} onPointerEnter={() => onSelect(index)} onPointerDown={() => onSelect(index)}>
          <rect
            className="chart-slot"
            data-chosen={index === selected || undefined}
            x={index * slot}
            width={slot}
            height={height}
          />
          <Bars day={day} series={series} x={(index + 0.19) * slot} width={slot * 0.62} heightOf={heightOf} />
        </g>
      ))}
      <line className="chart-axis" x2="900" y1={height} y2={height} />
      <polyline className="chart-prior" points={prior} />
    </svg>
  )
}

type BarsProps = {
  readonly day: ChartDay
  readonly series: readonly ChartSeries[]
  readonly x: number
  readonly width: number
  readonly heightOf: (value: string) => number
}

function Bars({ day, series, x, width, heightOf }: BarsProps) {
  let top = height
  return series.map(({ key }, index) => {
    const size = heightOf(day.values[key] ?? '0')
    top -= size
    if (size === 0) return null
    return (
      <rect
        key={key}
        className="chart-bar"
        data-ink={index + 1}
        data-open={day.isOpen || undefined}
        x={x}
        y={top}
        width={width}
        height={Math.max(0, size - (top + size < height ? 1 : 0))}
      />
    )
  })
}

type TooltipProps = Pick<ChartProps, 'series' | 'format' | 'totalName'> & {
  readonly day: ChartDay
  /** From the start, as a share of the width. */
  readonly place: number
}

function Tooltip({ day, place, series, format, totalName }: TooltipProps) {
  // On the side with more room.
  const side =
    place > 0.5 ? { insetInlineEnd: `${(1 - place) * 100 + 2}%` } : { insetInlineStart: `${place * 100 + 2}%` }
  return (
    <div className="chart-tooltip" style={side} aria-hidden="true">
      <p>{day.name}</p>
      <ul>
        {series.map(({ key, name }, index) => (
          <li key={key}>
            <span className="chart-swatch" data-ink={index + 1} />
            {name}
            <b>{format(day.values[key] ?? '0')}</b>
          </li>
        ))}
        <li className="chart-total">
          {totalName}
          <b>{format(totalOf(day, series))}</b>
        </li>
      </ul>
    </div>
  )
}

function describeDay(day: ChartDay, { series, format, totalName }: ChartProps): string {
  const parts = series.map(({ key, name }) => `${name} ${format(day.values[key] ?? '0')}`)
  return [day.name, ...parts, `${totalName} ${format(totalOf(day, series))}`].join(', ')
}

function totalOf({ values }: ChartDay, series: readonly ChartSeries[]): string {
  return addDecimals(series.map(({ key }) => values[key] ?? '0'))
}

/** The top of the axis: a round number that four grid lines divide into round numbers. */
function niceTop(highest: number): number {
  if (highest <= 0) return gridLines
  const step = highest / gridLines
  const power = 10 ** Math.floor(Math.log10(step))
  const round = [1, 2, 2.5, 5, 10].find((each) => each * power >= step) ?? 10
  return round * power * gridLines
}
