import { Ticket } from 'lucide-react'
import type { ReactNode } from 'react'
import { Amount } from '../../ui/amount.tsx'
import { addDecimals, isZero, perMilleChange, shortDecimal, subtractDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Delta } from '../../ui/pill.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TicketHead } from '../../ui/ticket-head.tsx'
import { TicketPaper } from '../../ui/ticket-paper.tsx'
import type { Liability, LiabilityReport } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Link } from '../shell/place.ts'
import { Loaded, Money, useFindCurrency, useOrder } from '../shell/shop.tsx'
import { reporting } from '../words/reporting.ts'
import { words } from '../words/words.ts'
import './liability-card.css'

/** This month up to now. */
const path = '/merchant/reports/liability'

/** What the shop owes the holders of its vouchers in one currency. */
export default function LiabilityCard({ currency }: { readonly currency: string }): ReactNode {
  const known = useKnown<LiabilityReport>(path)
  const find = useFindCurrency()
  return (
    <section className="liability-card" aria-label={reporting.liability.name}>
      <TicketPaper
        shape="tall"
        head={
          <TicketHead
            title={<h2>{reporting.liability.name}</h2>}
            label={currency}
            mark={<Ticket aria-hidden="true" />}
          />
        }
        body={
          <Loaded known={known} placeholder={<Skeleton shape="amount" />}>
            {({ liabilities }) => {
              const sum = sumOf(liabilities, currency)
              return (
                <>
                  <p className="soft">{reporting.liability.left}</p>
                  <div className="liability-amount">
                    <Amount value={shortDecimal(sum.closing)} currency={find(currency)} size="large" />
                  </div>
                  <Change {...sum} />
                </>
              )
            }}
          </Loaded>
        }
        stub={
          <>
            {known.data !== null && <MonthFacts liabilities={known.data.liabilities} currency={currency} />}
            <Link className="button" data-kind="tint" data-size="s" to="/reports">
              {reporting.liability.open}
            </Link>
          </>
        }
      />
    </section>
  )
}

/** The same in every currency with vouchers, side by side. Nothing while it loads, and for a shop without vouchers. */
export function LiabilityStrip(): ReactNode {
  const { data } = useKnown<LiabilityReport>(path)
  const order = useOrder()
  const liabilities = data?.liabilities ?? []
  const currencies = order(liabilities.map(({ currency }) => currency))
  if (currencies.length === 0) return null
  return (
    <section className="liability-strip" aria-label={reporting.liability.name}>
      <TicketPaper
        body={
          <>
            <h2>
              {reporting.liability.name}: {reporting.liability.owed.toLocaleLowerCase()}
            </h2>
            <div className="liability-owed">
              {currencies.map((code) => (
                <Owed key={code} liabilities={liabilities} currency={code} />
              ))}
            </div>
          </>
        }
        stub={
          <>
            <MonthFacts liabilities={liabilities} currency={currencies[0] ?? ''} />
            <Link className="button" data-kind="quiet" data-size="s" to="/reports">
              {reporting.liability.open}
            </Link>
          </>
        }
      />
    </section>
  )
}

type OfCurrency = { readonly liabilities: readonly Liability[]; readonly currency: string }

function Owed({ liabilities, currency }: OfCurrency) {
  const find = useFindCurrency()
  const sum = sumOf(liabilities, currency)
  return (
    <div>
      <p className="soft">{find(currency).name}</p>
      <p className="liability-figure">
        <Money value={sum.closing} code={currency} />
      </p>
      <Change {...sum} />
    </div>
  )
}

type Sum = { readonly opening: string; readonly closing: string }

/** Both kinds of vouchers. */
function sumOf(liabilities: readonly Liability[], currency: string): Sum {
  const own = liabilities.filter((each) => each.currency === currency)
  return {
    opening: addDecimals(own.map(({ opening }) => opening)),
    closing: addDecimals(own.map(({ closing }) => closing)),
  }
}

/** The change since the month began. A debt that grows is neither good nor bad. */
function Change({ opening, closing }: Sum) {
  const change = perMilleChange(closing, opening)
  if (change === null || change === 0) return null
  return (
    <p className="liability-change soft">
      <Delta change={change > 0 ? 'up' : 'down'} isNeutral>
        {words.home.percent(Math.abs(change) / 10)}
      </Delta>{' '}
      {reporting.liability.thisMonth}
    </p>
  )
}

function MonthFacts({ liabilities, currency }: OfCurrency) {
  const own = liabilities.filter((each) => each.currency === currency)
  const moved = (kinds: readonly string[]): string => {
    const counted = own.flatMap(({ movements }) => movements).filter(({ kind }) => kinds.includes(kind))
    const sum = addDecimals(counted.map(({ valueIn, valueOut }) => subtractDecimal(valueIn, valueOut)))
    return isZero(sum) ? '0' : sum.replace('-', '')
  }
  return (
    <Facts
      kind="plain"
      rows={[
        [
          reporting.liability.issuedThisMonth,
          <Money key="issued" value={moved(['issued', 'reloaded'])} code={currency} />,
        ],
        [
          reporting.liability.redeemedThisMonth,
          <Money key="redeemed" value={moved(['redeemed', 'fees'])} code={currency} />,
        ],
      ]}
    />
  )
}
