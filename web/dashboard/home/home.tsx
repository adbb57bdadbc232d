import { lazy, Suspense, useState, type ReactNode } from 'react'
import { Amount } from '../../ui/amount.tsx'
import { Choice } from '../../ui/choice.tsx'
import { isZero, shortDecimal } from '../../ui/decimal.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { DayMoved, HomeSummary } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import './home.css'
import { Today } from './home-today.tsx'
import { type Address, Link } from '../shell/place.ts'
import { Empty, Money, Loaded, screensFor, type ScreenName, useOrder, useShop } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'

// Loaded after the balances are on screen.
const Chart = lazy(() => import('../reports/chart.tsx'))

export function Home(): ReactNode {
  const known = useKnown<HomeSummary>('/merchant/home')
  return (
    <Screen heading={words.home.heading}>
      <Loaded known={known}>
        {(summary) => (
          <>
            <Balances balances={summary.balances} />
            <Today summary={summary} />
            <Days days={summary.days} today={summary.today} />
            <Attention attention={summary.attention} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

function Balances({ balances }: Pick<HomeSummary, 'balances'>) {
  const { merchant } = useShop()
  const hasTill = screensFor(merchant.role).includes('till')
  const order = useOrder()(balances.map(({ currency }) => currency))
  const ordered = balances.toSorted((a, b) => order.indexOf(a.currency) - order.indexOf(b.currency))
  return (
    <section className="section">
      <h2>{words.home.balances}</h2>
      {balances.length === 0 ? (
        <Empty heading={words.home.noBalances} lead={words.home.noBalancesLead}>
          {hasTill && (
            <Link className="button" data-kind="main" to="/till">
              {words.payments.toTill}
            </Link>
          )}
        </Empty>
      ) : (
        <ul className="home-balances">
          {ordered.map(({ currency, name, symbol, available, held, admin }) => (
            <li key={currency}>
              <span className="soft">{name}</span>
              <Amount
                value={shortDecimal(available)}
                currency={{ abbreviation: currency, name, symbol }}
                size="large"
              />
              {!isZero(held) && (
                <span className="soft">
                  <Money value={held} code={currency} /> {words.home.held}
                </span>
              )}
              {!isZero(admin) && (
                <span className="soft">
                  <Money value={admin} code={currency} /> {words.home.admin}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Days({ days, today }: { readonly days: readonly DayMoved[]; readonly today: string }) {
  const currencies = useOrder()(days.map(({ currency }) => currency))
  const [chosen, setChosen] = useState('')
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? '')
  return (
    <section className="section">
      <div className="home-chart-head">
        <h2>{words.home.chart}</h2>
        {currencies.length > 1 && (
          <Choice
            label={words.currency}
            value={currency}
            onChange={(event) => setChosen(event.target.value)}
            options={currencies.map((code) => [code, code])}
          />
        )}
      </div>
      {currency === '' ? (
        <p className="soft">{words.home.noDays}</p>
      ) : (
        <Suspense fallback={<Skeleton shape="amount" />}>
          <Chart days={days.filter((each) => each.currency === currency)} currency={currency} today={today} />
        </Suspense>
      )}
    </section>
  )
}

const countMax = 100
const linkedScreens: Readonly<Record<string, { readonly screen: ScreenName; readonly path: Address } | undefined>> = {
  outflows_waiting: { screen: 'approvals', path: '/approvals' },
  vouchers_frozen: { screen: 'vouchers', path: '/vouchers?state=frozen' },
}

function Attention({ attention }: Pick<HomeSummary, 'attention'>) {
  const { merchant } = useShop()
  const screens = screensFor(merchant.role)
  return (
    <section className="section">
      <h2>{words.home.attention}</h2>
      {attention.length === 0 ? (
        <p className="soft">{words.home.calm}</p>
      ) : (
        <ul className="home-attention">
          {attention.map(({ kind, count }) => {
            const link = linkedScreens[kind]
            return (
              <li key={kind}>
                {link !== undefined && screens.includes(link.screen) ? (
                  <Link to={link.path}>{nameOf(words.home.needs, kind)}</Link>
                ) : (
                  <span>{nameOf(words.home.needs, kind)}</span>
                )}
                <strong>{count >= countMax ? words.home.hundred : count}</strong>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
