import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Known } from '../../ui/known.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { type Address, go, Link, useSearchParams } from '../shell/place.ts'
import { When } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

// The server reads a limited number of rows for a filter: an empty page may still have matches behind it.
const autoPagesMax = 5

type Paged = { readonly nextCursor: string }

export type Pages<Data> = {
  readonly known: Known<Data> & { readonly retry: () => void }
  readonly filters: URLSearchParams
  readonly isFiltered: boolean
  /** Shows the newest page of the list with changed filters. */
  readonly filter: (changes: Readonly<Record<string, string>>, how?: 'push' | 'replace') => void
  /** Whether empty pages are being skipped. */
  readonly isGoingOn: boolean
  /** Skips more empty pages. Undefined unless the automatic search has stopped. */
  readonly further: (() => void) | undefined
  readonly cursor: string
  /** The links to newer and older pages. */
  readonly pageLinks: ReactNode
}

/** The page that each page was opened from, for the link to newer entries. */
const openedFrom = new Map<string, string>()

type ListScreen =
  | 'payments'
  | 'vouchers'
  | 'vouchers/batches'
  | 'sell/sales'
  | 'payouts'
  | 'payouts/files'
  | `payouts/files/${string}`
  | 'deposits'
  | 'requests'
  | 'invoices'
  | 'customers'
  | 'audit'
  | `developers/${string}`

/** A list by pages, whose filters and cursor are in the address. */
export function usePages<Data extends Paged>(
  screen: ListScreen,
  path: string,
  names: readonly string[],
  isEmpty: (data: Data) => boolean,
  /** What is asked for where the address has no filter. */
  defaults: Readonly<Record<string, string>> = {},
): Pages<Data> {
  const query = useSearchParams()
  const cursor = query.get('cursor') ?? ''
  const filters = new URLSearchParams(
    names.flatMap((name) => {
      const value = query.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
  const addressOf = (params: URLSearchParams): Address => `/${screen}${toQuery(params, '?')}`
  const addressAt = (place: string): Address => addressOf(withCursor(filters, place))
  const wanted = new URLSearchParams({ ...defaults, ...Object.fromEntries(filters) })
  const known = useKnown<Data>(`${path}?limit=50${toQuery(withCursor(wanted, cursor), '&')}`)
  const next = known.data?.nextCursor ?? ''
  const isFiltered = filters.size > 0
  const hasEmptyPage = known.data !== null && isFiltered && next !== '' && isEmpty(known.data)
  const { isGoingOn, restart } = useSkipEmptyPages(hasEmptyPage, filters.toString(), next, addressAt)
  return {
    known,
    filters,
    isFiltered,
    filter: (changes, how) => {
      const changed = new URLSearchParams(filters)
      for (const [name, value] of Object.entries(changes))
        if (value === '') changed.delete(name)
        else changed.set(name, value)
      go(addressOf(changed), how)
    },
    isGoingOn,
    further: hasEmptyPage && !isGoingOn ? restart : undefined,
    cursor,
    pageLinks: <PageLinks at={addressAt} cursor={cursor} next={hasEmptyPage ? '' : next} />,
  }
}

type Skipping = { readonly isGoingOn: boolean; readonly restart: () => void }

/** The empty pages that were skipped for the filters on screen. */
const skipped = { filters: '', pages: 0 }

/** Goes on to the next page while pages are empty, a few times for each filter. */
function useSkipEmptyPages(
  hasEmptyPage: boolean,
  filters: string,
  next: string,
  addressAt: (place: string) => Address,
): Skipping {
  const pages = skipped.filters === filters ? skipped.pages : 0
  const isGoingOn = hasEmptyPage && pages < autoPagesMax
  const goOn = (skippedPages: number): void => {
    Object.assign(skipped, { filters, pages: skippedPages })
    go(addressAt(next), 'replace')
  }
  const skipPage = useEffectEvent(() => goOn(pages + 1))
  useEffect(() => {
    if (isGoingOn) skipPage()
    // Once for each page.
  }, [isGoingOn, next])
  return { isGoingOn, restart: () => goOn(0) }
}

function withCursor(filters: URLSearchParams, cursor: string): URLSearchParams {
  const params = new URLSearchParams(filters)
  if (cursor !== '') params.set('cursor', cursor)
  return params
}

function toQuery<Prefix extends '?' | '&'>(params: URLSearchParams, prefix: Prefix): '' | `${Prefix}${string}` {
  return params.size === 0 ? '' : `${prefix}${params.toString()}`
}

type PageLinksProps = { readonly at: (place: string) => Address; readonly cursor: string; readonly next: string }

function PageLinks({ at, cursor, next }: PageLinksProps) {
  if (cursor === '' && next === '') return null
  return (
    <nav className="acts" aria-label={words.pages}>
      {cursor !== '' && (
        <Link className="button" data-kind="quiet" to={at(openedFrom.get(cursor) ?? '')}>
          ← {words.newer}
        </Link>
      )}
      {next !== '' && (
        <Button
          onClick={() => {
            openedFrom.set(next, cursor)
            go(at(next))
          }}
        >
          {words.older} →
        </Button>
      )}
    </nav>
  )
}

type SearchedBackProps = {
  readonly cursor: string
  readonly isGoingOn: boolean
  readonly further: (() => void) | undefined
}

/** How far back the search went while it found nothing. */
export function SearchedBack({ cursor, isGoingOn, further }: SearchedBackProps): ReactNode {
  if (!isGoingOn && further === undefined) return null
  const at = timeOf(cursor)
  return (
    <div className="empty" role="status">
      <p className="empty-heading">{isGoingOn ? words.payments.searching : words.payments.noneFound}</p>
      {at !== null && (
        <p>
          {words.payments.searchedBack} <When at={at} />
        </p>
      )}
      {further !== undefined && (
        <div className="acts empty-acts">
          <Button onClick={further}>{words.payments.searchFurther}</Button>
        </div>
      )}
    </div>
  )
}

/** The creation time, which every id begins with. */
function timeOf(cursor: string): Date | null {
  const ms = Number.parseInt(cursor.replaceAll('-', '').slice(0, 12), 16)
  return /^[0-9a-f-]{36}$/i.test(cursor) && Number.isSafeInteger(ms) ? new Date(ms) : null
}
