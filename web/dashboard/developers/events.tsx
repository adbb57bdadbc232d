import type { ReactNode } from 'react'
import { FilterChip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import '../parts/filters.css'
import { SearchedBack, usePages } from '../parts/pages.tsx'
import { Link } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { EventTypes, ListedEvents } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { words } from '../words/words.ts'
import { DeveloperTabs } from './developer-tabs.tsx'
import { typesPath } from './endpoint-form.tsx'

const text = developers.events

export function Events(): ReactNode {
  const pages = usePages<ListedEvents>(
    'developers/events',
    '/merchant/events',
    ['type'],
    ({ events }) => events.length === 0,
  )
  const types = useKnown<EventTypes>(typesPath)
  return (
    <DeveloperTabs tab="events">
      <div className="chips">
        <FilterChip
          label={text.type}
          value={pages.filters.get('type') ?? ''}
          options={(types.data?.types ?? []).map((type) => [type, type])}
          any={words.any}
          clearLabel={text.removeFilter(text.type)}
          onChoose={(type) => pages.filter({ type })}
        />
      </div>
      <Loaded known={pages.known} placeholder={<SkeletonRows count={10} />}>
        {({ events, nextCursor }) => {
          if (events.length > 0)
            return <Table caption={text.caption} columns={columns} rows={events} keyOf={({ id }) => id} />
          if (nextCursor !== '')
            return <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          return pages.isFiltered ? (
            <Empty heading={text.noneOfType} lead={text.noneOfTypeLead} />
          ) : (
            <Empty heading={text.none} lead={text.noneLead} />
          )
        }}
      </Loaded>
      {pages.pageLinks}
    </DeveloperTabs>
  )
}

const columns: readonly Column<ListedEvents['events'][number]>[] = [
  {
    name: text.type,
    kind: 'head',
    cell: ({ position, type }) => (
      <Link className="cover-link" to={`/developers/events/${position}`}>
        <code>{type}</code>
      </Link>
    ),
  },
  { name: text.object, kind: 'extra', cell: ({ objectId }) => <code>{objectId}</code> },
  { name: text.sequence, kind: 'extra', cell: ({ sequence }) => sequence },
  { name: text.time, kind: 'second', cell: ({ timestamp }) => <When at={timestamp} /> },
]
