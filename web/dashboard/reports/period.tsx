import { type ReactNode, useState } from 'react'
import { DateField } from '../../ui/date-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { addDays, dayIn } from '../parts/days.ts'
import '../parts/filters.css'
import { type Address, go, useSearchParams } from '../shell/place.ts'
import { useShop } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'

/** Whole days in the shop's time zone. Both count. */
export type Period = { readonly from: string; readonly until: string }

const presets = ['month', 'lastMonth', 'year', 'custom'] as const
type Preset = (typeof presets)[number]

export function toQuery(period: Period): string {
  return new URLSearchParams(period).toString()
}

function monthOf(day: string): string {
  return `${day.slice(0, 7)}-01`
}

function periodsAt(today: string): Readonly<Record<Exclude<Preset, 'custom'>, Period>> {
  const lastOfBefore = addDays(monthOf(today), -1)
  return {
    month: { from: monthOf(today), until: today },
    lastMonth: { from: monthOf(lastOfBefore), until: lastOfBefore },
    year: { from: `${today.slice(0, 4)}-01-01`, until: today },
  }
}

function useToday(): string {
  return dayIn(useShop().merchant.timeZone, new Date())
}

/** The period in the address. By default this month. */
export function usePeriod(): Period {
  const { month } = periodsAt(useToday())
  const query = useSearchParams()
  const from = query.get('from') ?? ''
  const until = query.get('until') ?? ''
  return from === '' || until === '' ? month : { from, until }
}

type PeriodChoiceProps = { readonly period: Period; readonly path: Address }

/** Usual periods with one press, and any other by two dates. */
export function PeriodChoice({ period, path }: PeriodChoiceProps): ReactNode {
  const today = useToday()
  const query = useSearchParams()
  const usual = periodsAt(today)
  const [isCustom, setIsCustom] = useState(false)
  const found = (['month', 'lastMonth', 'year'] as const).find((name) => toQuery(usual[name]) === toQuery(period))
  const preset = isCustom ? 'custom' : (found ?? 'custom')
  const show = (next: Period) => {
    // The other filters of the report stay. A page of another period does not.
    const params = new URLSearchParams(query)
    params.delete('cursor')
    params.set('from', next.from)
    params.set('until', next.until)
    go(`${path}?${params.toString()}` as Address)
  }
  const choose = (next: Preset) => {
    setIsCustom(next === 'custom')
    if (next !== 'custom') show(usual[next])
  }
  // The other day moves along, so that the period never ends before it begins.
  const start = (day: string) => show({ from: day, until: day > period.until ? day : period.until })
  const end = (day: string) => show({ from: day < period.from ? day : period.from, until: day })
  return (
    <div className="filters-line">
      <Segmented
        label={reporting.period}
        value={preset}
        options={presets.map((each) => [each, reporting.presets[each]])}
        onChoose={choose}
      />
      {preset === 'custom' && (
        <div className="filters-dates">
          <DateField
            label={reporting.from}
            max={today}
            value={period.from}
            onDay={(day = '') => day !== '' && start(day)}
          />
          <DateField
            label={reporting.until}
            max={today}
            value={period.until}
            onDay={(day = '') => day !== '' && end(day)}
          />
        </div>
      )}
    </div>
  )
}
