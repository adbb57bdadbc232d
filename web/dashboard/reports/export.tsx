import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { addDecimals } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import type { AccountNumbers, AccountTotals } from '../shell/responses.ts'
import { refresh, useKnown } from '../shell/request-dashboard.ts'
import { Loaded, Money, useFindCurrency, useOrder } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'
import { describeError } from '../words/words.ts'
import { EditNumbers, numbersPath } from './edit-numbers.tsx'
import { type Period, toQuery } from './period.tsx'

/** The accountant's export: its file, the sums of its lines, and the shop's own account numbers. */
export function ExportReport({ period }: { readonly period: Period }): ReactNode {
  const known = useKnown<AccountTotals>(`/merchant/reports/totals?${toQuery(period)}`)
  const order = useOrder()
  return (
    <>
      <div className="reports-acts">
        <p className="soft">{reporting.export.lead}</p>
        <SaveButton
          kind="main"
          path={`/merchant/reports/journals.csv?${toQuery(period)}`}
          fileName={reporting.export.file(period.from, period.until)}
          label={reporting.export.csv}
        />
      </div>
      {/* Above the totals, which would push its button away while they load. */}
      <Numbers />
      <Loaded known={known} placeholder={<SkeletonRows count={8} />}>
        {({ totals }) =>
          totals.length === 0 ? (
            <Empty heading={reporting.export.none} lead={reporting.export.noneLead} />
          ) : (
            <section className="section">
              <h2>{reporting.export.totals}</h2>
              <p className="soft">{reporting.export.totalsLead}</p>
              {order(totals.map(({ currency }) => currency)).map((code) => (
                <Totals key={code} code={code} totals={totals.filter(({ currency }) => currency === code)} />
              ))}
            </section>
          )
        }
      </Loaded>
    </>
  )
}

type Total = AccountTotals['totals'][number]

function Totals({ code, totals }: { readonly code: string; readonly totals: readonly Total[] }) {
  const find = useFindCurrency()
  const money = (value: string) => <Money value={value} code={code} />
  const columns: readonly Column<Total>[] = [
    { name: reporting.export.account, kind: 'head', cell: ({ account }) => reporting.export.accounts[account] },
    { name: reporting.liability.opening, kind: 'amount', cell: ({ opening }) => money(opening) },
    { name: reporting.export.debit, kind: 'amount', cell: ({ debit }) => money(debit) },
    { name: reporting.export.credit, kind: 'amount', cell: ({ credit }) => money(credit) },
    { name: reporting.liability.closing, kind: 'amount', cell: ({ closing }) => money(closing) },
  ]
  return (
    <Card heading={<span className="reports-currency">{find(code).name}</span>}>
      <Table
        caption={reporting.export.caption(code)}
        columns={columns}
        rows={totals}
        keyOf={({ account }) => account}
      />
      <Facts
        kind="plain"
        rows={[
          [`${reporting.export.sum}, ${reporting.export.debit}`, money(addDecimals(totals.map(({ debit }) => debit)))],
          [
            `${reporting.export.sum}, ${reporting.export.credit}`,
            money(addDecimals(totals.map(({ credit }) => credit))),
          ],
        ]}
      />
    </Card>
  )
}

function Numbers() {
  const known = useKnown<AccountNumbers>(numbersPath)
  const [isEditing, setIsEditing] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const finish = () => {
    setIsEditing(false)
    tell({ data: null }, reporting.export.saved)
    void refresh(numbersPath)
  }
  const edit = (
    <Button size="s" onClick={() => setIsEditing(true)}>
      {reporting.export.edit}
    </Button>
  )
  return (
    <Card heading={reporting.export.numbers} act={edit}>
      <p className="soft">{reporting.export.numbersLead}</p>
      {shown}
      <Loaded known={known}>
        {({ accounts }) => (
          <>
            <Facts
              kind="plain"
              rows={accounts
                .filter(({ number }) => number !== '')
                .map(({ account, number }) => [reporting.export.accounts[account], number])}
            />
            {isEditing && <EditNumbers accounts={accounts} onDone={finish} onClose={() => setIsEditing(false)} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}
