import { KeyRound, Terminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { Avatar, IconTile } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/chip.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Pill } from '../../ui/pill.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import '../parts/filters.css'
import { type Pages, SearchedBack, usePages } from '../parts/pages.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import { Screen } from '../shell/frame.tsx'
import { useKnown } from '../shell/request-dashboard.ts'
import type { AuditEntry, AuditLog, Members } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { auditWords } from '../words/audit-words.ts'
import { words } from '../words/words.ts'
import './audit.css'
import { describeAct, nameObject } from './describe-act.ts'

const filterNames = ['who', 'kind', 'from', 'until']

/** Who did what in the shop, and when. Only the owner sees it. */
export function Audit(): ReactNode {
  const pages = usePages<AuditLog>('audit', '/merchant/acts', filterNames, ({ acts }) => acts.length === 0)
  const { known, filters, isFiltered, cursor } = pages
  const query = filters.size === 0 ? '' : `?${filters.toString()}`
  const save = <SaveButton path={`/merchant/acts.csv${query}`} fileName={auditWords.file} label={words.exportCsv} />
  return (
    <Screen heading={auditWords.heading} lead={auditWords.lead} acts={save}>
      <AuditFilters filters={filters} onFilter={pages.filter} />
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ acts, nextCursor }) =>
          acts.length > 0 ? (
            <Table caption={auditWords.caption} columns={columns} rows={acts} keyOf={({ id }) => id} />
          ) : nextCursor !== '' ? (
            <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={auditWords.noneFound} lead={auditWords.noneFoundLead} />
          ) : (
            <Empty heading={auditWords.none} lead={auditWords.noneLead} />
          )
        }
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}

type FiltersProps = { readonly filters: URLSearchParams; readonly onFilter: Pages<AuditLog>['filter'] }

function AuditFilters({ filters, onFilter }: FiltersProps) {
  const members = useKnown<Members>('/merchant/members/names')
  const people = (members.data?.members ?? []).map(({ id, name }) => [id, name] as const)
  const others = [['keys', auditWords.keys] as const, ['operator', auditWords.operator] as const]
  const chip = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <FilterChip
      label={label}
      value={filters.get(name) ?? ''}
      options={options}
      any={words.any}
      clearLabel={auditWords.removeFilter(label)}
      onChoose={(value) => onFilter({ [name]: value })}
    />
  )
  return (
    <section className="filters" aria-label={auditWords.filters}>
      <div className="filters-dates">
        {(['from', 'until'] as const).map((name) => (
          <DateField
            key={name}
            label={auditWords[name]}
            value={filters.get(name) ?? ''}
            onDay={(value) => value !== undefined && onFilter({ [name]: value })}
          />
        ))}
      </div>
      <div className="chips">
        {chip('who', auditWords.who, [...people, ...others])}
        {chip('kind', auditWords.what, Object.entries(auditWords.kinds))}
        {filters.size > 0 && (
          <Button
            kind="bare"
            size="s"
            onClick={() => onFilter(Object.fromEntries(filterNames.map((name) => [name, ''])))}
          >
            {auditWords.clear}
          </Button>
        )}
      </div>
    </section>
  )
}

const icons = { key: KeyRound, operator: Terminal }
const tones = { done: 'good', refused: 'bad', unknown: 'over' } as const

const columns: readonly Column<AuditEntry>[] = [
  { name: auditWords.what, kind: 'head', cell: (entry) => <What entry={entry} /> },
  {
    name: auditWords.outcome,
    kind: 'status',
    cell: ({ outcome }) => (
      <span data-quiet={outcome === 'done' || undefined}>
        <Pill tone={tones[outcome]}>{auditWords.outcomes[outcome]}</Pill>
      </span>
    ),
  },
  { name: auditWords.mode, kind: 'extra', cell: ({ mode }) => (mode === null ? '' : auditWords.modes[mode]) },
  { name: auditWords.address, kind: 'extra', cell: ({ address }) => <code>{address}</code> },
  { name: auditWords.when, kind: 'sum', cell: ({ at }) => <When at={at} /> },
]

function What({ entry }: { readonly entry: AuditEntry }) {
  const { by, who } = entry
  const name = by === 'member' ? who : by === 'key' ? who || auditWords.key : `${auditWords.operator} ${who}`.trim()
  const object = nameObject(entry)
  return (
    <TableWhat
      icon={by === 'member' ? <Avatar name={name} size="s" /> : <IconTile icon={icons[by]} shape="square" size="s" />}
      title={<span className="audit-sentence">{describeAct(entry)}</span>}
      second={
        <span className="table-second" title={object === '' ? name : `${name} · ${object}`}>
          {name}
          {object !== '' && (
            <>
              {' · '}
              <code>{object}</code>
            </>
          )}
        </span>
      }
    />
  )
}
