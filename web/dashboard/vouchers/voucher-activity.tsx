import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import type { ActivityEntry } from '../shell/responses.ts'
import '../payments/payment.css'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'

type LifeProps = { readonly life: readonly ActivityEntry[]; readonly currency: string }

/** The activity of a voucher, oldest first. */
export function VoucherActivity({ life, currency }: LifeProps): ReactNode {
  return (
    <section className="payment-column">
      <h2>{words.voucher.activity}</h2>
      <ol className="timeline">
        {life.map((entry, place) => (
          // Two entries may have the same time, and their order never changes.
          <li key={place}>
            <Entry entry={entry} currency={currency} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const takes = new Set(['redemption', 'expiry', 'cancel', 'replacement'])

type EntryProps = { readonly entry: ActivityEntry; readonly currency: string }

function Entry({ entry, currency }: EntryProps) {
  const { at, kind, amount, charge, where, reason, reference } = entry
  const name = nameOf(words.voucher.kinds, kind)
  return (
    <>
      <p className="timeline-title life-title">
        {reference === '' ? name : <Link to={`/payments/${encodeURIComponent(reference)}`}>{name}</Link>}
        {amount !== '' && <Money value={amount} code={currency} sign={takes.has(kind) ? '−' : '+'} />}
      </p>
      <div className="soft">
        <When at={at} />
        {where !== '' && `, ${where}`}
        {reason !== '' && `${words.colon} ${reason}`}
        {charge !== '' && !isZero(charge) && (
          <p>
            {words.payment.fee}
            {words.colon} <Money value={charge} code={currency} />
          </p>
        )}
      </div>
    </>
  )
}
