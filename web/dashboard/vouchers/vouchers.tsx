import type { ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { FileUp, Layers, Package, Plus, ShoppingBag } from 'lucide-react'
import { perMille } from '../../ui/decimal.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import type { IssuedVoucher, IssuedVouchers } from '../shell/responses.ts'
import '../parts/filters.css'
import '../../ui/tabs.css'
import { LiabilityStrip } from '../reports/liability-card.tsx'
import { Screen } from '../shell/frame.tsx'
import { type Pages, SearchedBack, usePages } from '../parts/pages.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Link } from '../shell/place.ts'
import { SaveButton } from '../parts/save-file.tsx'
import { Money, LastDay, Loaded, formatMoney, screensFor, useShop, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { words } from '../words/words.ts'

/** The vouchers that this shop issued. */
export function Vouchers(): ReactNode {
  const pages = usePages<IssuedVouchers>(
    'vouchers',
    '/merchant/issued',
    ['search', 'state'],
    ({ vouchers }) => vouchers.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  return (
    <Screen heading={words.vouchers.heading} acts={<Acts filters={filters} />}>
      <LiabilityStrip />
      <VoucherFilters filters={filters} onFilter={pages.filter} />
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ vouchers, nextCursor }) => {
          if (vouchers.length > 0)
            return <Table caption={words.vouchers.caption} columns={columns} rows={vouchers} keyOf={({ id }) => id} />
          if (nextCursor !== '')
            return <SearchedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          if (isFiltered || cursor !== '')
            return <Empty heading={words.vouchers.noneFound} lead={words.vouchers.noneFoundLead} />
          return (
            <Empty heading={words.vouchers.none} lead={words.vouchers.noneLead}>
              <IssueLink />
            </Empty>
          )
        }}
      </Loaded>
      {pages.pageLinks}
    </Screen>
  )
}

type FiltersProps = { readonly filters: URLSearchParams }

const more = [
  ['issue-many', 'many', Layers],
  ['import', 'import', FileUp],
  ['batches', 'batches', Package],
] as const

function Acts({ filters }: FiltersProps) {
  const { merchant } = useShop()
  return (
    <>
      <IssueLink />
      {!screensFor(merchant.role).includes('till') && (
        <Link className="button" data-kind="quiet" to="/sell">
          <ShoppingBag aria-hidden="true" />
          {words.till.sell}
        </Link>
      )}
      {more.map(([path, name, Icon]) => (
        <Link key={path} className="button" data-kind="quiet" to={`/vouchers/${path}`}>
          <Icon aria-hidden="true" />
          {words.vouchers[name]}
        </Link>
      ))}
      <SaveButton
        path={`/merchant/issued.csv?${filters.toString()}`}
        fileName={words.files.vouchers}
        label={words.exportCsv}
      />
    </>
  )
}

function IssueLink() {
  return (
    <Link className="button" data-kind="main" to="/vouchers/issue">
      <Plus aria-hidden="true" />
      {words.vouchers.issue}
    </Link>
  )
}

type VoucherFiltersProps = FiltersProps & { readonly onFilter: Pages<IssuedVouchers>['filter'] }

function VoucherFilters({ filters, onFilter }: VoucherFiltersProps) {
  const search = filters.get('search') ?? ''
  return (
    <section className="filters" aria-label={words.payments.filters}>
      <nav className="tabs" aria-label={words.vouchers.state}>
        {[['', words.any] as const, ...Object.entries(words.vouchers.states)].map(([state, name]) => (
          <Link
            key={state}
            to={`/vouchers${writeQuery(search, state)}`}
            aria-current={(filters.get('state') ?? '') === state ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <SearchField
        label={words.vouchers.search}
        hint={words.vouchers.searchHint}
        searched={search}
        shorten={(text) => (text.includes('@') ? text : text.slice(-4))}
        onSearch={(text, how) => onFilter({ search: text }, how)}
      />
    </section>
  )
}

function writeQuery(search: string, state: string): '' | `?${string}` {
  const query = new URLSearchParams({ ...(search !== '' && { search }), ...(state !== '' && { state }) })
  return query.size === 0 ? '' : `?${query.toString()}`
}

const columns: readonly Column<IssuedVoucher>[] = [
  {
    name: words.vouchers.code,
    kind: 'head',
    cell: ({ id, codeTail }) => (
      <Link className="cover-link" to={`/vouchers/${id}`}>
        <code>··{codeTail}</code>
      </Link>
    ),
  },
  { name: words.vouchers.for, kind: 'extra', cell: ({ recipient }) => recipient },
  { name: words.vouchers.state, kind: 'status', cell: (voucher) => <VoucherState voucher={voucher} /> },
  { name: words.vouchers.created, kind: 'extra', cell: ({ createdAt }) => <When at={createdAt} form="day" /> },
  {
    name: words.vouchers.expires,
    kind: 'extra',
    cell: ({ expiresAt }) => (expiresAt === '' ? words.vouchers.never : <LastDay at={expiresAt} />),
  },
  {
    name: words.vouchers.left,
    kind: 'sum',
    cell: ({ balance, amount, currency }) => (
      <span className="voucher-left">
        <Money value={balance} code={currency} />
        <Left balance={balance} amount={amount} currency={currency} />
        <span className="voucher-of">{words.vouchers.of(formatMoney(amount, currency))}</span>
      </span>
    ),
  },
]

/** An onchain voucher also shows where it is, or that its network has yet to create or close it. */
function VoucherState({ voucher: { state, onchain } }: { readonly voucher: IssuedVoucher }) {
  return (
    <span className="voucher-state">
      <Status of={state} names={words.vouchers.states} />
      {onchain !== null && (
        <span className="soft">
          {onchain.state === 'open' ? onchain.network : words.onchain.states[onchain.state](onchain.network)}
        </span>
      )}
    </span>
  )
}

// Below an eighth, little is left.
const lowShare = 125

type LeftProps = Pick<IssuedVoucher, 'balance' | 'amount' | 'currency'>

/** The balance as a share of the voucher's amount. */
function Left({ balance, amount, currency }: LeftProps) {
  const share = perMille(balance, amount)
  return (
    <span
      className="voucher-bar"
      data-tone={share < lowShare ? 'low' : 'plain'}
      role="meter"
      aria-label={words.vouchers.left}
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={share}
      aria-valuetext={`${formatMoney(balance, currency)} ${words.vouchers.of(formatMoney(amount, currency))}`}
    >
      <span style={{ width: `${share / 10}%` }} />
    </span>
  )
}
