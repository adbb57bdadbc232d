import type { ReactNode } from 'react'
import { Spark } from '../../ui/spark.tsx'
import { addDecimals, divideDecimal, isZero, subtractDecimal } from '../../ui/decimal.ts'
import { Delta } from '../../ui/pill.tsx'
import type { DayMoved, HomeSummary, Moved } from '../shell/responses.ts'
import { addDays } from '../parts/days.ts'
import { isIn } from '../parts/kinds.ts'
import { formatMoney, Money } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

type TodayProps = {
  readonly summary: Pick<HomeSummary, 'today' | 'sinceMidnight' | 'lastWeek' | 'days'>
  readonly currency: string
}

type Sum = { readonly count: number; readonly amount: string }

const weekDays = 7
const sparkDays = 14

/** Today compared with the same weekday last week up to the same time, and the last 7 days with the 7 before. */
export function Today({ summary: { today, sinceMidnight, lastWeek, days }, currency }: TodayProps): ReactNode {
  const isOwn = (moved: Moved): boolean => moved.currency === currency
  const own = days.filter(isOwn)
  const figure = (name: string, isCounted: (kind: string) => boolean): Compared => ({
    name,
    now: sumOf(sinceMidnight.filter(isOwn), isCounted),
    then: sumOf(lastWeek.filter(isOwn), isCounted),
    course: lastDays(today, sparkDays).map((day) =>
      sumOf(
        own.filter((each) => each.day === day),
        isCounted,
      ),
    ),
  })
  const sales = figure(words.home.sales, isIn)
  return (
    <dl className="home-kpis" aria-label={words.home.today}>
      <MoneyFigure {...sales} currency={currency} />
      <CountFigure {...sales} name={words.home.payments} />
      <MoneyFigure {...figure(words.home.refunds, isRefund)} currency={currency} isRiseGood={false} />
      <AverageFigure {...sales} name={words.home.average} currency={currency} />
      <MoneyFigure {...figure(words.home.issued, isIssue)} currency={currency} />
      <MoneyFigure
        {...sales}
        name={words.home.week}
        now={sumWithin(own, lastDays(today, weekDays))}
        then={sumWithin(own, lastDays(addDays(today, -weekDays), weekDays))}
        against={words.home.vsWeekBefore}
        currency={currency}
      />
    </dl>
  )
}

/** A figure, what it was a week ago, and its course by day. */
type Compared = { readonly name: string; readonly now: Sum; readonly then: Sum; readonly course: readonly Sum[] }

function sumWithin(days: readonly DayMoved[], range: readonly string[]): Sum {
  return sumOf(
    days.filter(({ day }) => range.includes(day)),
    isIn,
  )
}

type MoneyFigureProps = Compared & {
  readonly currency: string
  readonly against?: string
  readonly isRiseGood?: boolean
}

function MoneyFigure({ now, then, course, ...rest }: MoneyFigureProps) {
  return (
    <ComparedAmounts
      {...rest}
      now={now.amount}
      then={then.amount}
      course={course.map(({ amount }) => Number(amount))}
    />
  )
}

function AverageFigure({ now, then, course, ...rest }: MoneyFigureProps) {
  return (
    <ComparedAmounts
      {...rest}
      now={divideDecimal(now.amount, now.count)}
      then={divideDecimal(then.amount, then.count)}
      course={course.map(averageOf)}
    />
  )
}

type ComparedAmountsProps = Omit<MoneyFigureProps, 'now' | 'then' | 'course'> & {
  readonly now: string
  readonly then: string
  /** Only for drawing. */
  readonly course: readonly number[]
}

function ComparedAmounts(props: ComparedAmountsProps) {
  const { name, currency, now, then, against = words.home.vsLastWeek, isRiseGood = true, course } = props
  const difference = subtractDecimal(now, then)
  const size = difference.replace('-', '')
  const change = isZero(size) ? 'none' : difference.startsWith('-') ? 'down' : 'up'
  return (
    <Figure name={name} course={course} against={against}>
      <Money value={now} code={currency} />
      <Delta change={change} isRiseGood={isRiseGood}>
        {change === 'none' ? words.home.noChange : formatMoney(size, currency)}
      </Delta>
    </Figure>
  )
}

function CountFigure({ name, now, then, course }: Compared) {
  const change = now.count === then.count ? 'none' : now.count < then.count ? 'down' : 'up'
  return (
    <Figure name={name} course={course.map(({ count }) => count)} against={words.home.vsLastWeek}>
      {now.count}
      <Delta change={change}>{change === 'none' ? words.home.noChange : Math.abs(now.count - then.count)}</Delta>
    </Figure>
  )
}

type FigureProps = {
  readonly name: string
  readonly course: readonly number[]
  readonly against: string
  /** The figure and its change. */
  readonly children: readonly [ReactNode, ReactNode]
}

function Figure({ name, course, against, children: [figure, change] }: FigureProps) {
  return (
    <div className="home-kpi card">
      <dt>{name}</dt>
      <dd>
        <span className="home-kpi-figure">{figure}</span>
        <span className="home-kpi-change">
          {change} {against}
        </span>
        <Spark values={course} />
      </dd>
    </div>
  )
}

function lastDays(until: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(until, index - count + 1))
}

function isRefund(kind: string): boolean {
  return kind === 'REFUND'
}

function isIssue(kind: string): boolean {
  return kind === 'VOUCHER_PURCHASE'
}

function sumOf(moved: readonly Moved[], isCounted: (kind: string) => boolean): Sum {
  const counted = moved.filter(({ kind }) => isCounted(kind))
  return {
    count: counted.reduce((count, each) => count + each.count, 0),
    amount: addDecimals(counted.map(({ amount }) => amount)),
  }
}

/** Only for drawing. */
function averageOf({ count, amount }: Sum): number {
  return count === 0 ? 0 : Number(amount) / count
}
