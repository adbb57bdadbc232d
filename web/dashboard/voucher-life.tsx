import { isZero } from '../ui/decimal.ts'
import type { LifeEntry } from './answers.ts'
import './payment.css'
import { Link } from './place.ts'
import { Figures, When } from './shop.tsx'
import { nameOf, words } from './words.ts'

type LifeProps = { readonly life: readonly LifeEntry[]; readonly currency: string }

/** What happened to a voucher, oldest first. */
export function Life({ life, currency }: LifeProps) {
  return (
    <section className="payment-column">
      <h2>{words.voucher.life}</h2>
      <ol className="timeline">
        {life.map((entry, place) => (
          // Two may be of one moment, and their places never change.
          <li key={place}>
            <Entry entry={entry} currency={currency} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const takes = new Set(['redemption', 'expiry', 'cancel', 'replacement'])

type EntryProps = { readonly entry: LifeEntry; readonly currency: string }

function Entry({ entry, currency }: EntryProps) {
  const { at, kind, amount, charge, where, reason, reference } = entry
  const name = nameOf(words.voucher.kinds, kind)
  return (
    <>
      <p className="timeline-title life-title">
        {reference === '' ? name : <Link to={`/payments/${encodeURIComponent(reference)}`}>{name}</Link>}
        {amount !== '' && <Figures value={amount} code={currency} sign={takes.has(kind) ? '−' : '+'} />}
      </p>
      <div className="soft">
        <When at={at} />
        {where !== '' && `, ${where}`}
        {reason !== '' && `: ${reason}`}
        {charge !== '' && !isZero(charge) && (
          <p>
            {words.payment.charges}: <Figures value={charge} code={currency} />
          </p>
        )}
      </div>
    </>
  )
}
