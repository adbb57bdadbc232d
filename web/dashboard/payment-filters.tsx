import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Field } from '../ui/field.tsx'
import { isCodeOfOurs, readSymbols } from '../../server/src/voucher/symbols.ts'
import { readTyped } from '../ui/voucher-address.ts'
import { useKnown } from './ask-dashboard.ts'
import './filters.css'
import { useCurrencies } from './shop.tsx'
import { words } from './words.ts'

type FiltersProps = {
  readonly filters: URLSearchParams
  readonly onFilter: (changes: Readonly<Record<string, string>>) => void
}
type Members = { readonly members: readonly { readonly id: string; readonly name: string }[] }

// On a telephone they would be all that is seen.
const isWide = matchMedia('(min-width: 48rem)')

/** One search and a few choices, all of them in the address bar. */
export function Filters({ filters, onFilter }: FiltersProps) {
  const members = useKnown<Members>('/merchant/members/names')
  const currencies = useCurrencies()
  const of = (name: string): string => filters.get(name) ?? ''
  const choose = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <Choice
      label={label}
      value={of(name)}
      onChange={(event) => onFilter({ [name]: event.target.value })}
      options={[['', words.any], ...options]}
    />
  )
  const cashiers = (members.data?.members ?? []).map(({ id, name }) => [id, name] as const)
  const all = [...filters.keys()]
  return (
    <section className="filters" aria-label={words.payments.filters}>
      <SearchField
        key={of('search')}
        label={words.payments.search}
        hint={words.payments.searchHint}
        initial={of('search')}
        onSearch={(search) => onFilter({ search })}
      />
      <details className="filters-more" open={isWide.matches || all.length > (filters.has('search') ? 1 : 0)}>
        <summary>{words.payments.filters}</summary>
        <div className="filters-fields">
          {choose('type', words.payments.type, Object.entries(words.types))}
          {choose('status', words.payments.status, Object.entries(words.statuses))}
          {choose(
            'currency',
            words.currency,
            currencies.map(({ abbreviation }) => [abbreviation, abbreviation]),
          )}
          {choose('cashier', words.payments.cashier, [...cashiers, ['api', words.payments.api]])}
          {(['from', 'until'] as const).map((name) => (
            <Field
              key={name}
              label={words.payments[name]}
              type="date"
              value={of(name)}
              onChange={(event) => onFilter({ [name]: event.target.value })}
            />
          ))}
        </div>
      </details>
      {all.length > 0 && (
        <Button kind="bare" onClick={() => onFilter(Object.fromEntries(all.map((name) => [name, ''])))}>
          {words.payments.clear}
        </Button>
      )}
    </section>
  )
}

/** A whole code has no place in an address: its last four symbols find it as well. */
function withoutCode(text: string): string {
  const typed = text.includes('#') ? (readTyped(text)?.code ?? '') : text
  // In its groups also where it is mistyped; without them it may be a reference.
  const isCode = text.includes('#') || /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/i.test(typed) || isCodeOfOurs(readSymbols(typed))
  return isCode ? typed.slice(-4) : text
}

type SearchFieldProps = {
  readonly label: string
  readonly hint: string
  readonly initial: string
  /** What of it may stand in an address. */
  readonly shorten?: (text: string) => string
  readonly onSearch: (text: string) => void
}

export function SearchField({ label, hint, initial, shorten = withoutCode, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(initial)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSearch(shorten(text.trim()))
  }
  return (
    <form className="filters-search" role="search" noValidate onSubmit={submit}>
      <Field
        label={label}
        hint={hint}
        type="search"
        autoComplete="off"
        enterKeyHint="search"
        maxLength={254}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">{words.payments.searchAct}</Button>
    </form>
  )
}
