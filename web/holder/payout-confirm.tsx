import type { ReactNode } from 'react'
import { Amount, type Currency, writeAmount } from '../ui/amount.tsx'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { isZero, shortDecimal } from '../ui/decimal.ts'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Act } from '../ui/use-act.ts'
import type { PayoutQuote } from './request-voucher.ts'
import { useFocusedHeading } from './use-focused-heading.ts'
import { words } from './words.ts'

type PayoutConfirmProps = {
  readonly quote: PayoutQuote
  readonly currency: Currency
  readonly isRenewed: boolean
  /** Whether a new price is being fetched. */
  readonly isLoading: boolean
  readonly state: Act<unknown>['state']
  readonly onSend: () => void
  readonly onChange: () => void
}

/** The price and the address, and the button that sends it. */
export function PayoutConfirm(props: PayoutConfirmProps): ReactNode {
  const { quote, currency, isRenewed, isLoading, state, onSend, onChange } = props
  const heading = useFocusedHeading()
  const isBusy = state !== 'idle' || isLoading
  const arrives = shortDecimal(quote.arrives)
  const label = isBusy ? words.payout.loading : words.payout.send(writeAmount(arrives, quote.arrivesIn))
  return (
    <div className="payout-step">
      <h2 id="payout-heading" ref={heading} tabIndex={-1}>
        {words.payout.confirmHeading}
      </h2>
      {isRenewed && <Notice>{words.payout.renewed}</Notice>}
      <div className="payout-arrives">
        <p className="soft">{words.payout.arrives}</p>
        <Amount value={arrives} currency={quote.arrivesIn} size="large" isDue />
      </div>
      <div>
        <p className="soft">{words.payout.to}</p>
        <PayoutAddress address={quote.walletAddress} />
      </div>
      <Notice kind="error">{words.payout.careful}</Notice>
      <PayoutSum quote={quote} currency={currency} />
      <Checking state={state} words={words.payout} />
      <div className="payout-acts">
        <Button kind="main" size="l" aria-disabled={isBusy} onClick={() => isBusy || onSend()}>
          {state === 'checking' ? words.payout.checking : label}
        </Button>
        <Button kind="bare" size="l" aria-disabled={isBusy} onClick={() => isBusy || onChange()}>
          {words.payout.change}
        </Button>
      </div>
    </div>
  )
}

/** What is taken from the voucher, and what stays on it. */
function PayoutSum({ quote, currency }: Pick<PayoutConfirmProps, 'quote' | 'currency'>) {
  const money = (value: string) => <Amount value={shortDecimal(value)} currency={currency} />
  const isConverted = quote.arrivesIn.abbreviation !== currency.abbreviation
  const fee = isZero(quote.fee) ? [] : [[words.payout.fee, money(quote.fee)] as const]
  return (
    <div>
      <Facts
        kind="sum"
        rows={[
          [isConverted ? words.payout.converted : words.payout.sent, money(quote.amount)],
          [words.payout.gas, money(quote.gas)],
          ...fee,
          [words.payout.taken, money(quote.taken)],
        ]}
      />
      <Facts kind="plain" rows={[[words.payout.left, money(quote.left)]]} />
    </div>
  )
}

/** In groups of four, which are easier to compare. A copy has no spaces. */
export function PayoutAddress({ address }: { readonly address: string }): ReactNode {
  const groups = [address.slice(0, 2), ...(address.slice(2).match(/.{1,4}/g) ?? [])]
  return (
    <p className="payout-address" translate="no">
      {groups.map((group, place) => (
        // Two groups may be equal, so the index is the key.
        <span key={place}>{group}</span>
      ))}
    </p>
  )
}
