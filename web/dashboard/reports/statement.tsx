import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { FilterChip } from '../../ui/chip.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import type { Statement } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { go, Link, useSearchParams } from '../shell/place.ts'
import { Loaded, Money, useCurrencies, useShop, When } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'
import { nameOf, words } from '../words/words.ts'
import type { Period } from './period.tsx'

const pageSize = 50

/** What came onto an account and left it, with its value before and after. */
export function StatementReport({ period }: { readonly period: Period }): ReactNode {
  const { homeCurrency } = useShop().merchant
  const query = useSearchParams()
  const currency = query.get('currency') ?? homeCurrency
  const account = query.get('account') ?? 'balance'
  const cursor = query.get('cursor') ?? ''
  const asked = new URLSearchParams({ account, currency, ...period })
  const page = cursor === '' ? '' : `&cursor=${cursor}`
  const known = useKnown<Statement>(`/merchant/reports/statement?${asked.toString()}&limit=${pageSize}${page}`)
  const turn = (next: string) => {
    const params = new URLSearchParams(query)
    if (next === '') params.delete('cursor')
    else params.set('cursor', next)
    go(`/reports/statement?${params.toString()}`)
  }
  return (
    <>
      <div className="reports-acts">
        <StatementFilters account={account} currency={currency} />
        <SaveButton
          path={`/merchant/reports/statement.csv?${asked.toString()}`}
          fileName={reporting.statement.file(currency, period.from, period.until)}
          label={reporting.csv}
        />
      </div>
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {(statement) => (
          <>
            <Sums statement={statement} />
            {statement.lines.length === 0 ? (
              <Empty heading={reporting.statement.none} lead={reporting.statement.noneLead} />
            ) : (
              <Table
                caption={reporting.statement.caption(currency)}
                columns={columnsOf(currency)}
                rows={statement.lines}
                keyOf={({ id }) => id}
              />
            )}
            {(cursor !== '' || statement.hasMore) && (
              <nav className="acts" aria-label={words.pages}>
                {cursor !== '' && <Button onClick={() => turn('')}>{reporting.statement.first}</Button>}
                {statement.hasMore && (
                  <Button onClick={() => turn(statement.nextCursor)}>{reporting.statement.next} →</Button>
                )}
              </nav>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

type FiltersProps = { readonly account: string; readonly currency: string }

function StatementFilters({ account, currency }: FiltersProps) {
  const { homeCurrency } = useShop().merchant
  const query = useSearchParams()
  const currencies = useCurrencies()
  const choose = (name: string, value: string) => {
    const params = new URLSearchParams(query)
    params.delete('cursor')
    if (value === '') params.delete(name)
    else params.set(name, value)
    go(`/reports/statement?${params.toString()}`)
  }
  const accounts = Object.entries(reporting.statement.accounts)
  return (
    <div className="chips">
      <FilterChip
        label={reporting.statement.account}
        value={account}
        options={accounts}
        any={reporting.statement.accounts.balance}
        clearLabel={words.payments.removeFilter(reporting.statement.account)}
        onChoose={(value) => choose('account', value)}
      />
      <FilterChip
        label={words.currency}
        value={currency}
        options={currencies.map(({ abbreviation }) => [abbreviation, abbreviation])}
        any={homeCurrency}
        clearLabel={words.payments.removeFilter(words.currency)}
        onChoose={(value) => choose('currency', value)}
      />
    </div>
  )
}

function Sums({ statement: { opening, valueIn, valueOut, closing, currency } }: { readonly statement: Statement }) {
  const money = (value: string) => <Money value={value} code={currency} />
  return (
    <div className="reports-sums">
      <Facts
        kind="sum"
        rows={[
          [reporting.statement.opening, money(opening)],
          [reporting.statement.in, money(valueIn)],
          [
            reporting.statement.out,
            <Money key="out" value={valueOut} code={currency} sign={isZero(valueOut) ? '' : '−'} />,
          ],
          [reporting.statement.closing, money(closing)],
        ]}
      />
    </div>
  )
}

type Line = Statement['lines'][number]

function columnsOf(currency: string): readonly Column<Line>[] {
  const cell = (value: string) => (isZero(value) ? '' : <Money value={value} code={currency} />)
  return [
    { name: reporting.statement.what, kind: 'head', cell: (line) => <What line={line} /> },
    { name: reporting.statement.time, kind: 'extra', cell: ({ at }) => <When at={at} /> },
    { name: reporting.statement.in, kind: 'amount', cell: ({ valueIn }) => cell(valueIn) },
    { name: reporting.statement.out, kind: 'amount', cell: ({ valueOut }) => cell(valueOut) },
  ]
}

function What({ line: { kind, reference } }: { readonly line: Line }) {
  const name = nameOf(reporting.statement.kinds, kind)
  if (reference === '') return <TableWhat title={name} />
  return (
    <TableWhat
      title={<Link to={`/payments/${encodeURIComponent(reference)}`}>{name}</Link>}
      second={<small className="soft">{reference}</small>}
    />
  )
}
