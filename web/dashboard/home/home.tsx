import { ScanQrCode } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx'
import type { HomeSummary } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { Loaded, screensFor, useOrder, useShop } from '../shell/shop.tsx'
import { words } from '../words/words.ts'
import { writeDay } from '../parts/days.ts'
import { Attention } from './attention.tsx'
import { Balance } from './balance.tsx'
import './home.css'
import { RecentPayments } from './recent-payments.tsx'
import { Today } from './today.tsx'

// Loaded after the balances are on screen.
const Sales = lazy(() => import('./sales-chart.tsx'))
const LiabilityCard = lazy(() => import('../reports/liability-card.tsx'))

const currencyKey = 'scrip-home-currency'

/** What needs a decision first, then the balance, then today compared with last week. */
export function Home(): ReactNode {
  const { merchant } = useShop()
  const known = useKnown<HomeSummary>('/merchant/home')
  const [chosen, setChosen] = useState(() => localStorage.getItem(currencyKey) ?? '')
  const currencies = useOrder()(currenciesOf(known.data))
  const currency = currencies.includes(chosen) ? chosen : (currencies[0] ?? merchant.homeCurrency)
  const choose = (code: string) => {
    localStorage.setItem(currencyKey, code)
    setChosen(code)
  }
  const acts = (
    <>
      {currencies.length > 1 && (
        <Segmented
          label={words.currency}
          value={currency}
          options={currencies.slice(0, 5).map((code) => [code, code])}
          onChoose={choose}
        />
      )}
      {screensFor(merchant.role).includes('till') && (
        <Link className="button" data-kind="quiet" to="/till">
          <ScanQrCode aria-hidden="true" />
          {words.home.openTill}
        </Link>
      )}
    </>
  )
  return (
    <Screen
      heading={words.home.heading}
      lead={known.data === null ? undefined : writeDay(known.data.today)}
      acts={acts}
    >
      <Loaded known={known} placeholder={<HomePlaceholder />}>
        {(summary) => <Overview summary={summary} currency={currency} />}
      </Loaded>
    </Screen>
  )
}

/** Every currency that has a balance or has moved. */
function currenciesOf(summary: HomeSummary | null): string[] {
  if (summary === null) return []
  return [...summary.balances, ...summary.days].map(({ currency }) => currency)
}

function Overview({ summary, currency }: { readonly summary: HomeSummary; readonly currency: string }) {
  const { merchant } = useShop()
  return (
    <>
      <Attention attention={summary.attention} />
      <div className="home-frame">
        <div className="home-figures">
          <Balance balances={summary.balances} currency={currency} />
          <Today summary={summary} currency={currency} />
        </div>
      </div>
      <Suspense fallback={<Skeleton shape="block" />}>
        <Sales days={summary.days} currency={currency} today={summary.today} />
      </Suspense>
      <div className="home-frame">
        <div className="home-lower">
          {screensFor(merchant.role).includes('payments') && <RecentPayments />}
          {screensFor(merchant.role).includes('reports') && (
            <Suspense fallback={<Skeleton shape="block" />}>
              <LiabilityCard currency={currency} />
            </Suspense>
          )}
        </div>
      </div>
    </>
  )
}

function HomePlaceholder() {
  return (
    <div className="home-placeholder">
      <SkeletonRows count={2} />
      <Skeleton shape="block" />
      <Skeleton shape="block" />
    </div>
  )
}
