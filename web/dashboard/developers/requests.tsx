import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Search } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { Pill } from '../../ui/pill.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import '../parts/filters.css'
import { type Pages, SearchedBack, usePages } from '../parts/pages.tsx'
import { Link } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { ApiKeys, LoggedRequest, LoggedRequests } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { words } from '../words/words.ts'
import { DeveloperTabs } from './developer-tabs.tsx'

const text = developers.requests
const filterNames = ['status', 'route', 'keyId', 'reference', 'id']
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function Requests(): ReactNode {
  const pages = usePages<LoggedRequests>(
    'developers/requests',
    '/merchant/requests',
    filterNames,
    ({ requests }) => requests.length === 0,
  )
  return (
    <DeveloperTabs tab="requests">
      <p className="soft">{text.lead}</p>
      <RequestFilters pages={pages} />
      <Loaded known={pages.known} placeholder={<SkeletonRows count={10} />}>
        {({ requests, nextCursor }) => {
          if (requests.length > 0)
            return <Table caption={text.caption} columns={columns} rows={requests} keyOf={({ id }) => id} />
          if (nextCursor !== '')
            return <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          return pages.isFiltered || pages.cursor !== '' ? (
            <Empty heading={text.noneFound} lead={text.noneFoundLead} />
          ) : (
            <Empty heading={text.none} lead={text.noneLead} />
          )
        }}
      </Loaded>
      {pages.pageLinks}
    </DeveloperTabs>
  )
}

function RequestFilters({ pages: { filters, filter, known } }: { readonly pages: Pages<LoggedRequests> }) {
  const keys = useKnown<ApiKeys>('/merchant/keys')
  const chosenRoute = filters.get('route') ?? ''
  const routes = new Set([...(known.data?.requests ?? []).map(({ route }) => route), chosenRoute])
  routes.delete('')
  const chip = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <FilterChip
      label={label}
      value={filters.get(name) ?? ''}
      options={options}
      any={words.any}
      clearLabel={text.removeFilter(label)}
      onChoose={(value) => filter({ [name]: value })}
    />
  )
  const clear = () => filter(Object.fromEntries(filterNames.map((name) => [name, ''])))
  return (
    <section className="filters" aria-label={text.filters}>
      <ReferenceSearch
        searched={filters.get('reference') ?? filters.get('id') ?? ''}
        onSearch={(typed) => filter(uuidForm.test(typed) ? { id: typed, reference: '' } : { id: '', reference: typed })}
      />
      <div className="chips">
        {chip('status', text.status, Object.entries(text.classes))}
        {chip(
          'route',
          text.path,
          [...routes].sort().map((route) => [route, route]),
        )}
        {chip(
          'keyId',
          text.key,
          (keys.data?.keys ?? []).map(({ id, name, kind }) => [id, `${name} (${developers.keys.kinds[kind]})`]),
        )}
        {filters.size > 0 && (
          <Button kind="bare" size="s" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </div>
    </section>
  )
}

type ReferenceSearchProps = { readonly searched: string; readonly onSearch: (typed: string) => void }

/** Searches on Enter: a reference is found as a whole or not at all. */
function ReferenceSearch({ searched, onSearch }: ReferenceSearchProps) {
  const [typed, setTyped] = useState(searched)
  const [last, setLast] = useState(searched)
  if (searched !== last) {
    setLast(searched)
    setTyped(searched)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSearch(typed.trim())
  }
  return (
    <form className="filters-search" role="search" noValidate onSubmit={submit}>
      <Field
        label={text.search}
        hint={text.searchHint}
        lead={<Search aria-hidden="true" />}
        type="search"
        placeholder={text.search}
        autoComplete="off"
        enterKeyHint="search"
        maxLength={128}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  )
}

/** The status of a response: green if it was successful, red if not. */
export function ResponseStatus({ status }: Pick<LoggedRequest, 'status'>): ReactNode {
  return <Pill tone={status < 400 ? 'good' : 'bad'}>{status}</Pill>
}

const columns: readonly Column<LoggedRequest>[] = [
  {
    name: text.path,
    kind: 'head',
    cell: ({ id, method, route }) => (
      <Link className="cover-link request-name" to={`/developers/requests/${id}`}>
        <code>
          {method} {route}
        </code>
      </Link>
    ),
  },
  {
    name: text.status,
    kind: 'status',
    cell: ({ status, errorCode }) => (
      <span className="request-status">
        <ResponseStatus status={status} /> {errorCode !== '' && <code className="soft">{errorCode}</code>}
      </span>
    ),
  },
  { name: text.reference, kind: 'extra', cell: ({ reference }) => <code className="soft">{reference}</code> },
  { name: text.key, kind: 'extra', cell: ({ keyName }) => keyName },
  { name: text.took, kind: 'amount', cell: ({ durationMs }) => text.tookMs(durationMs) },
  { name: text.time, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} /> },
]
