import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { perMille } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { OutflowLimits } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { ChangeLimits } from './change-limits.tsx'
import { place } from '../shell/place.ts'
import { Money, Loaded, formatMoney, useShop } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

/** The limits on money out, and how much of them is used. */
export function Limits(): ReactNode {
  const known = useKnown<OutflowLimits>('/merchant/outflow-limits')
  const { merchant } = useShop()
  const [isChanging, setIsChanging] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  return (
    <section className="section narrow">
      <h2>{words.limits.heading}</h2>
      {shown}
      <Loaded known={known}>
        {(limits) => (
          <>
            <Rules limits={limits} />
            <Used limits={limits} />
            {merchant.role === 'owner' && (
              <div className="acts">
                <Button onClick={() => setIsChanging(true)}>{words.limits.change}</Button>
              </div>
            )}
            {isChanging && (
              <ChangeLimits
                limits={limits}
                onClose={() => setIsChanging(false)}
                onDone={() => {
                  setIsChanging(false)
                  tell({ data: null }, words.limits.saved)
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

type LimitsProps = { readonly limits: OutflowLimits }

function Rules({ limits: { currency, approvalAbove, daily, newRecipientHours, isDefault } }: LimitsProps) {
  const { set, testDefault, liveDefault } = words.limits
  const limit = (value: string) =>
    value === 'none' ? words.limits.none : <Money key={value} value={value} code={currency} />
  return (
    <>
      <p className="soft">{!isDefault ? set : place?.mode === 'test' ? testDefault : liveDefault}</p>
      <Facts
        rows={[
          [words.limits.approvalAbove, limit(approvalAbove)],
          [words.limits.daily, limit(daily)],
          [words.limits.wait, newRecipientHours === 0 ? words.limits.noWait : words.limits.hours(newRecipientHours)],
        ]}
      />
    </>
  )
}

/** The total as a share of the daily maximum, with a mark where approvals begin. Without a maximum, as a share of that mark. */
function Used({ limits: { currency, approvalAbove, daily, total } }: LimitsProps) {
  const whole = daily === 'none' ? approvalAbove : daily
  const hasWhole = whole !== 'none'
  const share = hasWhole ? perMille(total, whole) : 0
  const mark = daily === 'none' || approvalAbove === 'none' ? 1000 : perMille(approvalAbove, daily)
  const isMarked = mark < 1000
  const money = (value: string) => formatMoney(value, currency)
  return (
    <div className="limits-used">
      <p className="limits-total">
        <span>{words.limits.total}</span>
        <span>
          <strong>
            <Money value={total} code={currency} />
          </strong>{' '}
          {hasWhole && <span className="soft">{words.limits.of(money(whole))}</span>}
        </span>
      </p>
      {hasWhole && (
        <div
          className="limits-bar"
          role="meter"
          aria-label={words.limits.total}
          aria-valuemin={0}
          aria-valuemax={1000}
          aria-valuenow={share}
          aria-valuetext={`${money(total)} ${words.limits.of(money(whole))}`}
        >
          <span className="limits-bar-share" style={{ width: `${share / 10}%` }} />
          {isMarked && <span className="limits-bar-mark" style={{ insetInlineStart: `${mark / 10}%` }} />}
        </div>
      )}
      <p className="soft">
        {words.limits.totalHint} {isMarked && words.limits.threshold(money(approvalAbove))}
      </p>
    </div>
  )
}
