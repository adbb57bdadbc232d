import type { ReactNode } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { perMille } from '../../ui/decimal.ts'
import type { IssuedVoucher, IssuedVouchers } from '../shell/responses.ts'
import '../parts/filters.css'
import { Screen } from '../shell/frame.tsx'
import { type Pages, SearchedBack, usePages } from '../parts/pages.tsx'
import { SearchField } from '../parts/payment-filters.tsx'
import { Link } from '../shell/place.ts'
import { SaveButton } from '../parts/save-file.tsx'
import { Empty, Money, LastDay, Loaded, formatMoney, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
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
      <VoucherFilters filters={filters} onFilter={pages.filter} />
      <Loaded known={known}>
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

function Acts({ filters }: FiltersProps) {
  return (
    <>
      <IssueLink />
      {(['issue-many', 'import', 'batches'] as const).map((path) => (
        <Link key={path} className="button" data-kind="quiet" to={`/vouchers/${path}`}>
          {words.vouchers[path === 'issue-many' ? 'many' : path]}
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
      {words.vouchers.issue}
    </Link>
  )
}

type VoucherFiltersProps = FiltersProps & { readonly onFilter: Pages<IssuedVouchers>['filter'] }

function VoucherFilters({ filters, onFilter }: VoucherFiltersProps) {
  return (
    <section className="filters" aria-label={words.payments.filters}>
      <SearchField
        label={words.vouchers.search}
        hint={words.vouchers.searchHint}
        searched={filters.get('search') ?? ''}
        shorten={(text) => (text.includes('@') ? text : text.slice(-4))}
        onSearch={(text) => onFilter({ search: text })}
      />
      <Choice
        label={words.vouchers.state}
        value={filters.get('state') ?? ''}
        onChange={(event) => onFilter({ state: event.target.value })}
        options={[['', words.any], ...Object.entries(words.vouchers.states)]}
      />
    </section>
  )
}

const columns: readonly Column<IssuedVoucher>[] = [
  {
    name: words.vouchers.code,
    kind: 'head',
    cell: ({ id, codeTail }) => (
      <Link className="table-link" to={`/vouchers/${id}`}>
        <code>··{codeTail}</code>
      </Link>
    ),
  },
  { name: words.vouchers.state, cell: (voucher) => <VoucherState voucher={voucher} /> },
  { name: words.vouchers.for, cell: ({ recipient }) => recipient },
  { name: words.vouchers.created, cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    name: words.vouchers.expires,
    cell: ({ expiresAt }) => (expiresAt === '' ? words.vouchers.never : <LastDay at={expiresAt} />),
  },
  {
    name: words.vouchers.left,
    kind: 'sum',
    cell: ({ balance, amount, currency }) => (
      <span className="voucher-left">
        <Money value={balance} code={currency} />
        <Left balance={balance} amount={amount} currency={currency} />
      </span>
    ),
  },
  {
    name: words.amount,
    kind: 'amount',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} tone="soft" />,
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

type LeftProps = Pick<IssuedVoucher, 'balance' | 'amount' | 'currency'>

/** The balance as a share of the voucher's amount. */
function Left({ balance, amount, currency }: LeftProps) {
  const share = perMille(balance, amount)
  return (
    <span
      className="voucher-bar"
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
