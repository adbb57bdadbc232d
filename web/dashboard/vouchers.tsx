import { Choice } from '../ui/choice.tsx'
import { perMille } from '../ui/decimal.ts'
import type { IssuedVoucher, IssuedVouchers } from './answers.ts'
import './filters.css'
import { Screen } from './frame.tsx'
import { LookedBack, usePages } from './pages.tsx'
import { SearchField } from './payment-filters.tsx'
import { Link } from './place.ts'
import { SaveButton } from './save-file.tsx'
import { Empty, Figures, LastDay, Loaded, sayMoney, When } from './shop.tsx'
import { Status } from './status.tsx'
import { type Column, Table } from './table.tsx'
import { words } from './words.ts'

/** Those that this shop issued. */
export function Vouchers() {
  const pages = usePages<IssuedVouchers>(
    'vouchers',
    '/merchant/issued',
    ['search', 'state'],
    ({ vouchers }) => vouchers.length === 0,
  )
  const { known, filters, isFiltered, cursor } = pages
  const state = filters.get('state') ?? ''
  const search = filters.get('search') ?? ''
  const asked = new URLSearchParams(Object.entries({ search, state }).filter(([, value]) => value !== ''))
  const csv = `/merchant/issued.csv?${asked}`
  const acts = (
    <>
      <Link className="button" data-kind="main" to="/vouchers/issue">
        {words.vouchers.issue}
      </Link>
      {(['issue-many', 'import', 'batches'] as const).map((way) => (
        <Link key={way} className="button" data-kind="quiet" to={`/vouchers/${way}`}>
          {words.vouchers[way === 'issue-many' ? 'many' : way]}
        </Link>
      ))}
      <SaveButton path={csv} fileName="vouchers.csv" label={words.exportCsv} />
    </>
  )
  return (
    <Screen heading={words.vouchers.heading} acts={acts}>
      <section className="filters" aria-label={words.payments.filters}>
        <SearchField
          key={search}
          label={words.vouchers.search}
          hint={words.vouchers.searchHint}
          initial={search}
          shorten={(text) => (text.includes('@') ? text : text.slice(-4))}
          onSearch={(text) => pages.filter({ search: text })}
        />
        <Choice
          label={words.vouchers.state}
          value={state}
          onChange={(event) => pages.filter({ state: event.target.value })}
          options={[['', words.any], ...Object.entries(words.vouchers.states)]}
        />
      </section>
      <Loaded known={known}>
        {({ vouchers, nextCursor }) =>
          vouchers.length > 0 ? (
            <Table caption={words.vouchers.caption} columns={columns} rows={vouchers} keyOf={({ id }) => id} />
          ) : nextCursor !== '' ? (
            <LookedBack cursor={nextCursor} isGoingOn={pages.isGoingOn} further={pages.further} />
          ) : isFiltered || cursor !== '' ? (
            <Empty heading={words.vouchers.noneFound} lead={words.vouchers.noneFoundLead} />
          ) : (
            <Empty heading={words.vouchers.none} lead={words.vouchers.noneLead}>
              <Link className="button" data-kind="main" to="/vouchers/issue">
                {words.vouchers.issue}
              </Link>
            </Empty>
          )
        }
      </Loaded>
      {pages.ways}
    </Screen>
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
  { name: words.vouchers.state, cell: ({ state }) => <Status of={state} names={words.vouchers.states} /> },
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
        <Figures value={balance} code={currency} />
        <Left balance={balance} amount={amount} currency={currency} />
      </span>
    ),
  },
  {
    name: words.amount,
    kind: 'amount',
    cell: ({ amount, currency }) => <Figures value={amount} code={currency} tone="soft" />,
  },
]

type LeftProps = Pick<IssuedVoucher, 'balance' | 'amount' | 'currency'>

/** How much of it, at a glance. */
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
      aria-valuetext={`${sayMoney(balance, currency)} ${words.vouchers.of(sayMoney(amount, currency))}`}
    >
      <span style={{ width: `${share / 10}%` }} />
    </span>
  )
}
