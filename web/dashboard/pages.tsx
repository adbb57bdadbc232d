import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { useKnown } from './ask-dashboard.ts'
import { go, Link, useQuery } from './place.ts'
import { When } from './shop.tsx'
import { words } from './words.ts'

// A filter looks at so many rows at a time: an empty answer may only mean that there is more to look at.
const goOnMax = 5

type Paged = { readonly nextCursor: string }

/** Which page each one was reached from, so that there is a way back to newer ones. */
const cameFrom = new Map<string, string>()

/** A list by pages, whose place is in the address bar. */
export function usePages<Data extends Paged>(
  screen: string,
  path: string,
  names: readonly string[],
  isEmpty: (data: Data) => boolean,
) {
  const query = useQuery()
  const cursor = query.get('cursor') ?? ''
  const filters = new URLSearchParams(
    names.flatMap((name) => {
      const value = query.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
  const asked = new URLSearchParams(filters)
  if (cursor !== '') asked.set('cursor', cursor)
  const known = useKnown<Data>(`${path}?limit=50${asked.size === 0 ? '' : `&${asked.toString()}`}`)
  const next = known.data?.nextCursor ?? ''
  const isFiltered = filters.size > 0
  const isToGoOn = known.data !== null && isFiltered && next !== '' && isEmpty(known.data)
  const [goneOn, setGoneOn] = useState({ filters: '', times: 0 })
  const times = goneOn.filters === filters.toString() ? goneOn.times : 0
  const isGoingOn = isToGoOn && times < goOnMax

  const addressOf = (of: URLSearchParams): string => `/${screen}${of.size === 0 ? '' : `?${of.toString()}`}`
  const at = (place: string): string => {
    const wanted = new URLSearchParams(filters)
    if (place !== '') wanted.set('cursor', place)
    return addressOf(wanted)
  }
  useEffect(() => {
    if (!isGoingOn) return
    setGoneOn({ filters: filters.toString(), times: times + 1 })
    go(at(next), 'replace')
    // Once for each page.
  }, [isGoingOn, next])

  return {
    known,
    filters,
    isFiltered,
    /** Shows the list with another filter, from its newest. */
    filter: (changes: Readonly<Record<string, string>>) => {
      const wanted = new URLSearchParams(filters)
      for (const [name, value] of Object.entries(changes))
        if (value === '') wanted.delete(name)
        else wanted.set(name, value)
      go(addressOf(wanted))
    },
    isGoingOn,
    /** Looked at far enough by itself. */
    further:
      isToGoOn && !isGoingOn
        ? () => {
            setGoneOn({ filters: filters.toString(), times: 0 })
          }
        : undefined,
    cursor,
    ways: <Ways at={at} cursor={cursor} next={isToGoOn ? '' : next} />,
  }
}

type WaysProps = { readonly at: (place: string) => string; readonly cursor: string; readonly next: string }

function Ways({ at, cursor, next }: WaysProps) {
  if (cursor === '' && next === '') return null
  return (
    <nav className="acts pages-ways" aria-label={`${words.newer}, ${words.older}`}>
      {cursor !== '' && (
        <Link className="button" data-kind="quiet" to={at(cameFrom.get(cursor) ?? '')}>
          ← {words.newer}
        </Link>
      )}
      {next !== '' && (
        <Button
          onClick={() => {
            cameFrom.set(next, cursor)
            go(at(next))
          }}
        >
          {words.older} →
        </Button>
      )}
    </nav>
  )
}

type LookedBackProps = {
  readonly cursor: string
  readonly isGoingOn: boolean
  readonly further: (() => void) | undefined
}

/** How far back a filter has looked while it found nothing. */
export function LookedBack({ cursor, isGoingOn, further }: LookedBackProps) {
  if (!isGoingOn && further === undefined) return null
  const at = momentOf(cursor)
  return (
    <div className="empty" role="status">
      <p>{isGoingOn ? words.payments.looking : words.payments.noneFound}</p>
      {at !== null && (
        <p>
          {words.payments.lookedBack} <When at={at} />
        </p>
      )}
      {further !== undefined && (
        <div className="acts empty-acts">
          <Button onClick={further}>{words.payments.further}</Button>
        </div>
      )}
    </div>
  )
}

/** Ids begin with the time at which they were made. */
function momentOf(cursor: string): Date | null {
  const ms = Number.parseInt(cursor.replaceAll('-', '').slice(0, 12), 16)
  return /^[0-9a-f-]{36}$/i.test(cursor) && Number.isSafeInteger(ms) ? new Date(ms) : null
}
