import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/chip.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import type { Members } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import './filters.css'
import { useCurrencies, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'
import { addDays, dayIn } from './days.ts'
import { SearchField } from './search-field.tsx'

type FiltersProps = {
  readonly filters: URLSearchParams
  readonly onFilter: (changes: Readonly<Record<string, string>>, how?: 'push' | 'replace') => void
  /** False for a list of one type. */
  readonly hasTypes?: boolean
}

/** A search field, dates and filters, all of them stored in the address. */
export function Filters({ filters, onFilter, hasTypes = true }: FiltersProps): ReactNode {
  const members = useKnown<Members>('/merchant/members/names')
  const currencies = useCurrencies()
  const cashiers = (members.data?.members ?? []).map(({ id, name }) => [id, name] as const)
  const all = [...filters.keys()]
  const chip = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <FilterChip
      label={label}
      value={filters.get(name) ?? ''}
      options={options}
      any={words.any}
      clearLabel={words.payments.removeFilter(label)}
      onChoose={(value) => onFilter({ [name]: value })}
    />
  )
  return (
    <section className="filters" aria-label={words.payments.filters}>
      <div className="filters-line">
        <SearchField
          label={words.payments.search}
          hint={words.payments.searchHint}
          searched={filters.get('search') ?? ''}
          onSearch={(search, how) => onFilter({ search }, how)}
        />
        <Dates filters={filters} onFilter={onFilter} />
      </div>
      <div className="chips">
        {hasTypes && chip('type', words.payments.type, Object.entries(words.types))}
        {chip('status', words.payments.status, Object.entries(words.statuses))}
        {chip('cashier', words.payments.cashier, [...cashiers, ['api', words.payments.api]])}
        {chip(
          'currency',
          words.currency,
          currencies.map(({ abbreviation }) => [abbreviation, abbreviation]),
        )}
        {all.length > 0 && (
          <Button kind="bare" size="s" onClick={() => onFilter(Object.fromEntries(all.map((name) => [name, ''])))}>
            {words.payments.clear}
          </Button>
        )}
      </div>
    </section>
  )
}

type Preset = 'all' | 'today' | 'week' | 'month' | 'custom'

const presetDays: Readonly<Partial<Record<Preset, number>>> = { today: 1, week: 7, month: 30 }

/** Usual periods with one press, and any other by two dates. */
function Dates({ filters, onFilter }: Omit<FiltersProps, 'hasTypes'>) {
  const today = dayIn(useShop().merchant.timeZone, new Date())
  const [from, until] = [filters.get('from') ?? '', filters.get('until') ?? '']
  const [isCustom, setIsCustom] = useState(false)
  const preset = isCustom ? 'custom' : presetOf(from, until, today)
  const choose = (next: Preset) => {
    setIsCustom(next === 'custom')
    const days = presetDays[next]
    if (next === 'all') onFilter({ from: '', until: '' })
    if (days !== undefined) onFilter({ from: addDays(today, 1 - days), until: today })
  }
  return (
    <>
      <Segmented
        label={words.payments.dates}
        value={preset}
        options={(['all', 'today', 'week', 'month', 'custom'] as const).map((each) => [
          each,
          words.payments.presets[each],
        ])}
        onChoose={choose}
      />
      {preset === 'custom' && (
        <div className="filters-dates">
          <DateField
            label={words.payments.from}
            value={from}
            onDay={(day) => day !== undefined && onFilter({ from: day })}
          />
          <DateField
            label={words.payments.until}
            value={until}
            onDay={(day) => day !== undefined && onFilter({ until: day })}
          />
        </div>
      )}
    </>
  )
}

function presetOf(from: string, until: string, today: string): Preset {
  if (from === '' && until === '') return 'all'
  const found = Object.entries(presetDays).find(([, days]) => until === today && from === addDays(today, 1 - days))
  return (found?.[0] as Preset | undefined) ?? 'custom'
}
