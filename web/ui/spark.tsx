import type { ReactNode } from 'react'
import './spark.css'

/** The course of a figure, without an axis. */
export function Spark({ values }: { readonly values: readonly number[] }): ReactNode {
  const top = Math.max(...values, 0)
  const place = (value: number, index: number): string =>
    `${((index / Math.max(1, values.length - 1)) * 56).toFixed(1)},${(18 - (top === 0 ? 0 : value / top) * 16).toFixed(1)}`
  const points = values.map(place)
  const [x = '0', y = '0'] = (points.at(-1) ?? '0,0').split(',')
  return (
    <svg className="spark" viewBox="0 0 58 20" aria-hidden="true">
      <polygon className="spark-area" points={`0,20 ${points.join(' ')} 56,20`} />
      <polyline className="spark-line" points={points.join(' ')} />
      <circle className="spark-end" cx={x} cy={y} r="2" />
    </svg>
  )
}
