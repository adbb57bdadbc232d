import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { subtractDecimal, perMille } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { locale } from '../../ui/locale.ts'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import type { Liability, LiabilityReport as Report } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Loaded, Money, useFindCurrency, useOrder } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'
import { type Period, toQuery } from './period.tsx'

/** What the shop's vouchers were worth at the end of the period, and what changed it. */
export function LiabilityReport({ period }: { readonly period: Period }): ReactNode {
  const known = useKnown<Report>(`/merchant/reports/liability?${toQuery(period)}`)
  const order = useOrder()
  return (
    <Loaded known={known} placeholder={<SkeletonRows count={8} />}>
      {({ liabilities }) =>
        liabilities.length === 0 ? (
          <Empty heading={reporting.liability.none} lead={reporting.liability.noneLead} />
        ) : (
          <>
            <div className="reports-acts">
              <p className="soft">{reporting.liability.ageHint}</p>
              <SaveButton
                path={`/merchant/reports/liability.csv?${toQuery(period)}`}
                fileName={reporting.liability.file(period.from, period.until)}
                label={reporting.csv}
              />
            </div>
            {order(liabilities.map(({ currency }) => currency)).flatMap((code) =>
              liabilities
                .filter(({ currency }) => currency === code)
                .map((each) => <OneLiability key={`${each.currency} ${each.vouchers}`} liability={each} />),
            )}
          </>
        )
      }
    </Loaded>
  )
}

function OneLiability({ liability }: { readonly liability: Liability }) {
  const { currency, vouchers, opening, closing, movements, months, ages } = liability
  const find = useFindCurrency()
  const name = `${find(currency).name} · ${reporting.liability.kinds[vouchers]}`
  const money = (value: string) => <Money value={value} code={currency} />
  const rows = movements.map(
    ({ kind, valueIn, valueOut }) =>
      [reporting.liability.movements[kind], money(subtractDecimal(valueIn, valueOut))] as const,
  )
  return (
    <Card heading={<span className="reports-currency">{name}</span>}>
      <div className="reports-liability">
        <Facts
          kind="sum"
          rows={[[reporting.liability.opening, money(opening)], ...rows, [reporting.liability.closing, money(closing)]]}
        />
        <section>
          <h3>{reporting.liability.byAge}</h3>
          <Table
            caption={`${reporting.liability.byAge}, ${name}`}
            columns={[
              { name: reporting.liability.age, kind: 'head', cell: (age) => reporting.liability.ages[age.months] },
              outstanding(currency, closing),
            ]}
            rows={ages}
            keyOf={({ months: age }) => age}
          />
        </section>
        <section>
          <h3>{reporting.liability.byMonth}</h3>
          <Table
            caption={`${reporting.liability.byMonth}, ${name}`}
            columns={[
              { name: reporting.liability.month, kind: 'head', cell: ({ month }) => writeMonth(month) },
              outstanding(currency, closing),
            ]}
            rows={months}
            keyOf={({ month }) => month}
          />
        </section>
      </div>
    </Card>
  )
}

const monthFormat = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })

function writeMonth(month: string): string {
  return monthFormat.format(new Date(`${month}-15T00:00:00Z`))
}

function outstanding(currency: string, whole: string): Column<{ readonly outstanding: string }> {
  return {
    name: reporting.liability.outstanding,
    kind: 'sum',
    cell: ({ outstanding: value }) => (
      <span className="reports-share">
        <span className="reports-bar" aria-hidden="true">
          <span style={{ width: `${perMille(value, whole) / 10}%` }} />
        </span>
        <Money value={value} code={currency} />
      </span>
    ),
  }
}
