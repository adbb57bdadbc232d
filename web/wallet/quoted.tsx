import { Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { groupDecimal } from '../ui/numbers.ts'
import { Notice } from '../ui/notice.tsx'
import type { Act } from '../ui/use-act.ts'
import { isPriceRefusal, type Quote } from './request-wallet.ts'
import { Confirm, labelOf } from './confirm.tsx'
import { Money, useWriteMoney } from './money.tsx'
import { writeCountdown, writeRates } from './rate.ts'
import type { HeldQuote } from './use-held-quote.ts'
import { describeError, words } from './words.ts'

/** The rate, the market rate, and the fee, which is the difference between them. */
export function priceRows(quote: Quote): readonly (readonly [string, string])[] {
  const { rate, market } = writeRates(quote)
  return [
    [words.price.rate, rate],
    [words.price.marketRate, market],
    [words.price.fee, words.price.percent(groupDecimal(quote.spreadPercent))],
  ]
}

type Side = 'pays' | 'gets'
type SideProps = { readonly held: HeldQuote; readonly side: Side }

/** The side of a quote that a new rate changes, next to its old amount. */
export function ChangingMoney({
  held: { quote, before },
  side,
  tone = 'plain',
}: SideProps & { readonly tone?: 'in' | 'plain' }): ReactNode {
  const code = codeOf(quote, side)
  const isChanged = before !== null && before[side] !== quote[side]
  return (
    <>
      {isChanged && (
        <del className="wallet-before">
          <Money value={before[side]} code={code} tone="soft" />
        </del>
      )}
      <Money value={quote[side]} code={code} tone={tone} />
    </>
  )
}

type RateChangedProps = SideProps & {
  readonly words: {
    readonly changed: (now: string, before: string) => string
    readonly renewed: (now: string) => string
  }
}

/** Says that the price has changed or was renewed, and that no money has moved yet. */
export function RateChanged({
  held: { quote, before },
  side,
  words: { changed, renewed },
}: RateChangedProps): ReactNode {
  const write = useWriteMoney()
  if (before === null) return null
  const now = write(quote[side], codeOf(quote, side))
  const isSame = before[side] === quote[side]
  return (
    <div role="alert">
      <Notice kind="wait">{isSame ? renewed(now) : changed(now, write(before[side], codeOf(before, side)))}</Notice>
    </div>
  )
}

function codeOf({ from, to }: Quote, side: Side): string {
  return side === 'pays' ? from : to
}

type ConfirmQuoteProps = {
  readonly held: HeldQuote
  readonly acting: Pick<Act<unknown>, 'state' | 'refusal'>
  readonly label: string
  /** The label once the price has changed, which names the new price. */
  readonly newLabel: string
  readonly isDisabled?: boolean
}

/** Confirms a quote with the PIN or a passkey. After a price change the user, already confirmed, only presses once more. */
export function ConfirmQuote({ held, acting, label, newLabel, isDisabled = false }: ConfirmQuoteProps): ReactNode {
  const { state, refusal } = acting
  if (held.state === 'expired') return <Expired held={held} />
  const countdown = held.secondsLeft !== null && (
    <p className="wallet-held">
      <Clock aria-hidden="true" />
      {words.price.held(writeCountdown(held.secondsLeft))}
    </p>
  )
  if (held.isConfirmed) return <PressAgain held={held} state={state} label={newLabel} countdown={countdown} />
  return (
    <>
      {countdown}
      <Confirm
        label={held.before === null ? label : newLabel}
        // The screen already shows the new price instead of the refusal.
        act={{ state, refusal: refusal !== null && isPriceRefusal(refusal) ? null : refusal }}
        isDisabled={isDisabled || held.state === 'renewing' || !held.isSettled}
        onConfirm={held.confirm}
      />
    </>
  )
}

type PressAgainProps = {
  readonly held: HeldQuote
  readonly state: Act<unknown>['state']
  readonly label: string
  readonly countdown: ReactNode
}

function PressAgain({ held, state, label, countdown }: PressAgainProps) {
  const isDisabled = state !== 'idle' || !held.isSettled
  return (
    <>
      {countdown}
      <Checking state={state} words={words.confirm} />
      <div className="wallet-acts">
        <Button
          kind="main"
          size="l"
          isWide
          aria-disabled={isDisabled}
          onClick={() => isDisabled || held.confirmAgain()}
        >
          {labelOf(state, label)}
        </Button>
      </div>
    </>
  )
}

function Expired({ held: { renewalRefusal, renew } }: { readonly held: HeldQuote }) {
  return (
    <>
      <Notice kind={renewalRefusal === null ? 'info' : 'error'}>
        {renewalRefusal === null ? words.price.expired : describeError(renewalRefusal)}
      </Notice>
      <div className="wallet-acts">
        <Button kind="main" size="l" isWide onClick={renew}>
          {words.price.renew}
        </Button>
      </div>
    </>
  )
}
