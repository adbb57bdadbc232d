import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { Field } from '../../ui/field.tsx'
import { isCodeOfOurs, readSymbols } from '../../../server/src/vouchers/code/symbols.ts'
import { readTyped } from '../../ui/voucher-address.ts'
import type { Members } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import './filters.css'
import { useCurrencies } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type FiltersProps = {
  readonly filters: URLSearchParams
  readonly onFilter: (changes: Readonly<Record<string, string>>) => void
}

// On a phone, open filters would fill the screen.
const isWide = matchMedia('(min-width: 48rem)')

/** A search field and filters, all of them stored in the address. */
export function Filters({ filters, onFilter }: FiltersProps): ReactNode {
  const members = useKnown<Members>('/merchant/members/names')
  const currencies = useCurrencies()
  const valueOf = (name: string): string => filters.get(name) ?? ''
  const choose = (name: string, label: string, options: readonly (readonly [string, string])[], any = words.any) => (
    <Choice
      label={label}
      value={valueOf(name)}
      onChange={(event) => onFilter({ [name]: event.target.value })}
      options={[['', any], ...options]}
    />
  )
  const cashiers = (members.data?.members ?? []).map(({ id, name }) => [id, name] as const)
  const all = [...filters.keys()]
  return (
    <section className="filters" aria-label={words.payments.filters}>
      <SearchField
        label={words.payments.search}
        hint={words.payments.searchHint}
        searched={valueOf('search')}
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
            words.anyCurrency,
          )}
          {choose('cashier', words.payments.cashier, [...cashiers, ['api', words.payments.api]])}
          {(['from', 'until'] as const).map((name) => (
            <DateField
              key={name}
              label={words.payments[name]}
              value={valueOf(name)}
              onDay={(day) => onFilter({ [name]: day })}
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

/** Replaces a full voucher code by its last 4 characters, because addresses end up in histories and logs. */
function withoutCode(text: string): string {
  const typed = text.includes('#') ? (readTyped(text)?.code ?? '') : text
  // Grouped text is a code even if mistyped. Without groups it may be a reference.
  const isCode = text.includes('#') || /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/i.test(typed) || isCodeOfOurs(readSymbols(typed))
  return isCode ? typed.slice(-4) : text
}

type SearchFieldProps = {
  readonly label: string
  readonly hint: string
  /** The search whose results are on screen. */
  readonly searched: string
  /** Removes what must not appear in an address. */
  readonly shorten?: (text: string) => string
  readonly onSearch: (text: string) => void
}

export function SearchField({ label, hint, searched, shorten = withoutCode, onSearch }: SearchFieldProps): ReactNode {
  const [text, setText] = useState(searched)
  const [submitted, setSubmitted] = useState(searched)
  const [last, setLast] = useState(searched)
  if (searched !== last) {
    setLast(searched)
    // A link or the back button changed the search. The field's own search must not overwrite what the user typed after it.
    if (searched !== submitted) {
      setSubmitted(searched)
      setText(searched)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const search = shorten(text.trim())
    setText(search)
    setSubmitted(search)
    onSearch(search)
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
