import type { ReactNode } from 'react'
import { Amount } from '../../ui/amount.tsx'
import { Card } from '../../ui/card.tsx'
import { addDecimals, isZero, perMille, shortDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import type { HomeSummary } from '../shell/responses.ts'
import { formatMoney, Money, useFindCurrency } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type BalanceProps = Pick<HomeSummary, 'balances'> & { readonly currency: string }

/** The balance in the chosen currency, how much of it is reserved, and the balances in other currencies. */
export function Balance({ balances, currency }: BalanceProps): ReactNode {
  const find = useFindCurrency()
  const own = balances.find((each) => each.currency === currency)
  const others = balances.filter((each) => each.currency !== currency)
  const available = own?.available ?? '0'
  const held = own?.held ?? '0'
  const admin = own?.admin ?? '0'
  const share = perMille(available, addDecimals([available, held]))
  return (
    <Card>
      <div className="home-balance">
        <p className="home-label">
          <span>{words.home.balances}</span>
          <span>{currency}</span>
        </p>
        <div className="home-amount">
          <Amount value={shortDecimal(available)} currency={find(currency)} size="large" />
        </div>
        {!isZero(held) && (
          <>
            <div className="home-meter" aria-hidden="true">
              <span style={{ width: `${share / 10}%` }} />
            </div>
            <p className="soft">{words.home.reserved(formatMoney(held, currency))}</p>
          </>
        )}
        {!isZero(admin) && <p className="soft">{words.home.forFees(formatMoney(admin, currency))}</p>}
        {balances.length === 0 && <p className="soft">{words.home.noBalancesLead}</p>}
        {others.length > 0 && (
          <Facts
            kind="plain"
            rows={others.map((other) => [
              find(other.currency).name,
              <Money key={other.currency} value={other.available} code={other.currency} />,
            ])}
          />
        )}
      </div>
    </Card>
  )
}
