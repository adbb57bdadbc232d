import { Eye, EyeOff } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { PageHeading } from '../ui/page-frame.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import './balance-note.css'
import { hideAmounts, useAreAmountsHidden } from './hidden-amounts.ts'
import { type HeldBalances, nameInPlural, PrivateMoney, toCurrency } from './money.tsx'
import { Loaded } from './parts.tsx'
import type { Balances, Held } from './request-wallet.ts'
import { words } from './words.ts'

/** The total of all balances, printed like a banknote, with the balance of each currency. */
export function BalanceNote({ balances }: { readonly balances: HeldBalances }): ReactNode {
  return (
    <section className="note">
      <div className="note-head">
        <PageHeading>{words.home.heading}</PageHeading>
        <HideButton />
      </div>
      <Loaded known={balances} placeholder={<NotePlaceholder />}>
        {({ total }) => (
          <>
            <Total total={total} />
            {balances.held.length === 0 ? (
              <p className="note-text">
                <strong>{words.home.nothing}.</strong> {words.home.nothingLead}
              </p>
            ) : (
              <Chips held={balances.held} />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function HideButton() {
  const areHidden = useAreAmountsHidden()
  const label = areHidden ? words.home.show : words.home.hide
  return (
    <button
      className="icon-button note-eye"
      type="button"
      aria-label={label}
      title={label}
      onClick={() => hideAmounts(!areHidden)}
    >
      {areHidden ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
    </button>
  )
}

/** The sum at today's rates is an indication, so it says "about". In one currency it is exact. */
function Total({ total }: { readonly total: Balances['total'] }) {
  const { amount, currency, isConverted, leftOut } = total
  return (
    <div>
      <div className="note-total">
        <PrivateMoney value={amount} code={currency} size="large" />
      </div>
      {isConverted && <p className="note-text">{words.home.atRate(nameInPlural(toCurrency(total)))}</p>}
      {leftOut.length > 0 && <p className="note-text">{words.home.leftOut(leftOut.join(', '))}</p>}
    </div>
  )
}

function Chips({ held }: { readonly held: readonly Held[] }) {
  return (
    <ul className="wallet-balances" aria-label={words.home.balances} tabIndex={0}>
      {held.map((each) => (
        <li key={each.currency}>
          <span>{toCurrency(each).name}</span>
          <strong>
            <PrivateMoney value={each.available} code={each.currency} />
          </strong>
        </li>
      ))}
    </ul>
  )
}

function NotePlaceholder() {
  const onGreen = { '--shade': 'rgb(255 255 255 / 14%)', '--shade-strong': 'rgb(255 255 255 / 24%)' } as CSSProperties
  return (
    <div style={onGreen}>
      <Skeleton shape="amount" />
      <Skeleton shape="short" />
    </div>
  )
}
