import type { ReactNode } from 'react'
import { addDecimals, isZero, subtractDecimal } from '../../ui/decimal.ts'
import type { HomeSummary, Moved } from '../shell/responses.ts'
import { writeDay } from '../parts/days.ts'
import { isIn } from '../parts/kinds.ts'
import { Money, formatMoney, useOrder } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

/** Today compared with the same weekday last week up to the same time, by currency. */
export function Today({ summary: { today, sinceMidnight, lastWeek } }: { readonly summary: HomeSummary }): ReactNode {
  const currencies = useOrder()([...sinceMidnight, ...lastWeek].map(({ currency }) => currency))
  const day = writeDay(today, 'weekday')
  return (
    <section className="section">
      <h2>{words.home.today}</h2>
      {currencies.length === 0 ? (
        <p className="soft">{words.home.quiet}</p>
      ) : (
        <>
          <p className="soft">{words.home.todayLead(day)}</p>
          <div className="home-today">
            {currencies.map((currency) => (
              <TodayOf
                key={currency}
                currency={currency}
                day={day}
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

type TodayOfProps = {
  readonly currency: string
  /** The weekday of today. */
  readonly day: string
  readonly now: readonly Moved[]
  readonly then: readonly Moved[]
}

function TodayOf({ currency, day, now, then }: TodayOfProps) {
  const paid = sumOf(now, isIn)
  const paidThen = sumOf(then, isIn)
  const refunded = sumOf(now, isRefund)
  const refundedThen = sumOf(then, isRefund)
  return (
    <dl className="home-numbers">
      <Figure name={words.home.moneyIn} difference={moneyDifference(paid.amount, paidThen.amount, currency, day)}>
        <Money value={paid.amount} code={currency} />
      </Figure>
      <Figure name={words.home.payments} difference={countDifference(paid.count, paidThen.count, day)}>
        {paid.count}
      </Figure>
      <Figure
        name={words.home.refunds}
        difference={moneyDifference(refunded.amount, refundedThen.amount, currency, day)}
      >
        <Money value={refunded.amount} code={currency} />
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
        <span className="home-number">{children}</span>
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

function moneyDifference(now: string, then: string, currency: string, day: string): string {
  const difference = subtractDecimal(now, then)
  if (isZero(difference.replace('-', ''))) return words.home.same(day)
  const money = formatMoney(difference.replace('-', ''), currency)
  return difference.startsWith('-') ? words.home.less(money, day) : words.home.more(money, day)
}

function countDifference(now: number, then: number, day: string): string {
  if (now === then) return words.home.same(day)
  return now < then ? words.home.less(String(then - now), day) : words.home.more(String(now - then), day)
}
