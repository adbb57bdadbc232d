import { Search } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { mayBecomeCode, withoutCode } from '../shell/typed-code.ts'

type SearchFieldProps = {
  readonly label: string
  readonly hint: string
  /** The search whose results are on screen. */
  readonly searched: string
  /** Removes what must not appear in an address. */
  readonly shorten?: (text: string) => string
  readonly onSearch: (text: string, how: 'push' | 'replace') => void
}

const pauseMs = 400

/** Searches while the user types, and at once on Enter. */
export function SearchField({ label, hint, searched, shorten = withoutCode, onSearch }: SearchFieldProps): ReactNode {
  const [text, setText] = useState(searched)
  const [submitted, setSubmitted] = useState(searched)
  const [last, setLast] = useState(searched)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (searched !== last) {
    setLast(searched)
    // A link or the back button changed the search. The field's own search must not overwrite what the user typed after it.
    if (searched !== submitted) {
      setSubmitted(searched)
      setText(searched)
    }
  }
  const search = (typed: string, how: 'push' | 'replace') => {
    clearTimeout(timer.current)
    const shortened = shorten(typed.trim())
    setSubmitted(shortened)
    if (shortened !== searched) onSearch(shortened, how)
    return shortened
  }
  const change = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    if (!mayBecomeCode(typed)) timer.current = setTimeout(() => search(typed, 'replace'), pauseMs)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setText(search(text, 'push'))
  }
  return (
    <form className="filters-search" role="search" noValidate onSubmit={submit}>
      <Field
        label={label}
        hint={hint}
        lead={<Search aria-hidden="true" />}
        type="search"
        placeholder={label}
        autoComplete="off"
        enterKeyHint="search"
        maxLength={254}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </form>
  )
}
