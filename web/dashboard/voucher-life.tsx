import { isZero } from '../ui/decimal.ts'
import type { LifeEntry } from './answers.ts'
import './payment.css'
import { Link } from './place.ts'
import { Figures, When } from './shop.tsx'
import { nameOf, words } from './words.ts'

/** What happened to a voucher, oldest first. */
export function Life({ life }: { readonly life: readonly LifeEntry[] }) {
  return (
    <section className="payment-column">
      <h2>{words.voucher.life}</h2>
      <ol className="timeline">
        {life.map((entry, place) => (
          // Two may be of one moment, and their places never change.
          <li key={place}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const takes = new Set(['redemption', 'expiry', 'cancel', 'replacement'])

function Entry({
  entry: { at, kind, amount, charge, currency, where, reason, reference },
}: {
  readonly entry: LifeEntry
}) {
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
