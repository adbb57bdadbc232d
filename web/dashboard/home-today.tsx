import type { ReactNode } from 'react'
import { addDecimals, isZero, subtractDecimal } from '../ui/decimal.ts'
import type { HomeFigures, Moved } from './answers.ts'
import { writeDay } from './days.ts'
import { isIn } from './kinds.ts'
import { Figures, sayMoney, useOrder } from './shop.tsx'
import { words } from './words.ts'

/** Today against the same day last week until the same time, by currency. */
export function Today({ figures: { today, sinceMidnight, lastWeek } }: { readonly figures: HomeFigures }) {
  const currencies = useOrder()([...sinceMidnight, ...lastWeek].map(({ currency }) => currency))
  return (
    <section className="section">
      <h2>{words.home.today}</h2>
      {currencies.length === 0 ? (
        <p className="soft">{words.home.quiet}</p>
      ) : (
        <>
          <p className="soft">{words.home.todayLead(writeDay(today, 'weekday'))}</p>
          <div className="home-today">
            {currencies.map((currency) => (
              <TodayOf
                key={currency}
                currency={currency}
                now={sinceMidnight.filter((moved) => moved.currency === currency)}
                then={lastWeek.filter((moved) => moved.currency === currency)}
              />
            ))}
          </div>
        </>
      )}
    </section>
  )
}

type TodayOfProps = { readonly currency: string; readonly now: readonly Moved[]; readonly then: readonly Moved[] }

function TodayOf({ currency, now, then }: TodayOfProps) {
  const [came, cameThen] = [sumOf(now, isIn), sumOf(then, isIn)]
  const [back, backThen] = [sumOf(now, isRefund), sumOf(then, isRefund)]
  return (
    <dl className="home-figures">
      <Figure name={words.home.moneyIn} difference={moneyDifference(came.amount, cameThen.amount, currency)}>
        <Figures value={came.amount} code={currency} />
      </Figure>
      <Figure name={words.home.payments} difference={countDifference(came.count, cameThen.count)}>
        {came.count}
      </Figure>
      <Figure name={words.home.refunds} difference={moneyDifference(back.amount, backThen.amount, currency)}>
        <Figures value={back.amount} code={currency} />
      </Figure>
    </dl>
  )
}

type FigureProps = { readonly name: string; readonly difference: string; readonly children: ReactNode }

function Figure({ name, difference, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="home-figure">{children}</span>
        <span className="soft">{difference}</span>
      </dd>
    </div>
  )
}

function isRefund(kind: string): boolean {
  return kind === 'REFUND'
}

function sumOf(moved: readonly Moved[], isCounted: (kind: string) => boolean) {
  const counted = moved.filter(({ kind }) => isCounted(kind))
  return {
    count: counted.reduce((count, each) => count + each.count, 0),
    amount: addDecimals(counted.map(({ amount }) => amount)),
  }
}

function moneyDifference(now: string, then: string, currency: string): string {
  const difference = subtractDecimal(now, then)
  if (isZero(difference.replace('-', ''))) return words.home.same
  const money = sayMoney(difference.replace('-', ''), currency)
  return difference.startsWith('-') ? words.home.less(`−${money}`) : words.home.more(`+${money}`)
}

function countDifference(now: number, then: number): string {
  if (now === then) return words.home.same
  return now < then ? words.home.less(`−${then - now}`) : words.home.more(`+${now - then}`)
}
