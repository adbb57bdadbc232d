import { ArrowDownUp } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { shortDecimal } from '../ui/decimal.ts'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { groupDecimal, writeDecimal } from '../ui/numbers.ts'
import type { Refusal } from '../ui/send-request.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { useAmountInput } from './amount-fields.tsx'
import { ExchangeSide } from './exchange-side.tsx'
import { Money, toCurrency } from './money.tsx'
import { writeCountdown, writeRates } from './rate.ts'
import type { Held, Named, Quote } from './request-wallet.ts'
import { type ExchangeInput, useLiveQuote } from './use-live-quote.ts'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

type Side = ExchangeInput['side']

type ExchangeFormProps = {
  readonly held: readonly Held[]
  readonly offered: readonly Named[]
  /** The quote that the user came back from, with the reason if it was refused. */
  readonly returned: { readonly quote: Quote; readonly refusal: Refusal | null } | null
  readonly onQuote: (quote: Quote) => void
}

/** Two amounts. Typing in either gets the other from the server. */
export function ExchangeForm({ held, offered, returned, onQuote }: ExchangeFormProps): ReactNode {
  const form = useExchangeForm({ held, offered, returned, onQuote })
  const { from, to, side, live, error } = form
  const chosen = held.find(({ currency }) => currency === from)
  const bind = (own: Side) => ({
    typed: own === side ? form.typed : writeQuoted(live.quote, own),
    error: own === side ? error : '',
    isLoading: own !== side && live.isLoading,
    onType: (typed: string) => form.type(own, typed),
  })
  return (
    <form className="exchange" noValidate onSubmit={form.submit}>
      <div className="exchange-sides">
        <ExchangeSide
          label={words.exchange.youPay}
          {...bind('pays')}
          currencyLabel={words.exchange.from}
          currency={from}
          currencies={held.map(nameOption)}
          onChoose={form.chooseFrom}
        >
          {chosen !== undefined && (
            <p className="soft">
              {words.balance} <Money value={chosen.available} code={from} />
            </p>
          )}
        </ExchangeSide>
        <div className="exchange-swap">
          <IconButton label={words.exchange.swap} isBordered disabled={!form.canSwap} onClick={form.swap}>
            <ArrowDownUp aria-hidden="true" />
          </IconButton>
        </div>
        <ExchangeSide
          label={words.exchange.youGet}
          {...bind('gets')}
          currencyLabel={words.exchange.to}
          currency={to}
          currencies={form.others.map(nameOption)}
          onChoose={form.chooseTo}
        >
          <p className="soft">{nameOf(form.others, to)}</p>
        </ExchangeSide>
      </div>
      <RateLine quote={live.quote} />
      {live.refusal !== null && !isAboutAmount(live.refusal) && (
        <Notice kind="error">{describeError(live.refusal)}</Notice>
      )}
      <Button kind="main" size="l" isWide type="submit" aria-disabled={form.isSending}>
        {form.isSending ? words.oneMoment : words.exchange.review}
      </Button>
    </form>
  )
}

type Form = {
  readonly from: string
  readonly to: string
  readonly side: Side
  readonly typed: string
  readonly error: string
  readonly live: ReturnType<typeof useLiveQuote>
  /** The currencies that the user can get. */
  readonly others: readonly Named[]
  readonly isSending: boolean
  /** The user can only pay with a currency that has a balance. */
  readonly canSwap: boolean
  readonly type: (side: Side, typed: string) => void
  readonly chooseFrom: (code: string) => void
  readonly chooseTo: (code: string) => void
  readonly swap: () => void
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void
}

function useExchangeForm({ held, offered, returned, onQuote }: ExchangeFormProps): Form {
  // A quote that was not refused is still the one that the server holds.
  const live = useLiveQuote(returned?.refusal === null ? returned.quote : null)
  const last = returned?.quote
  const [side, setSide] = useState<Side>('pays')
  const [codes, setCodes] = useState({ from: last?.from ?? held[0]?.currency ?? '', to: last?.to ?? '' })
  const [isSending, setIsSending] = useState(false)
  const [isEdited, setIsEdited] = useState(false)
  const refusal = isEdited || live.refusal !== null ? live.refusal : (returned?.refusal ?? null)
  const input = useAmountInput(refusal, last === undefined ? '' : writeDecimal(shortDecimal(last.pays)))
  const others = sortHeldFirst(offered, held).filter(({ currency }) => currency !== codes.from)
  const to = others.some(({ currency }) => currency === codes.to) ? codes.to : (others[0]?.currency ?? '')
  const current = { ...codes, to, side, amount: input.amount }

  const follow = (next: ExchangeInput) => {
    setIsEdited(true)
    live.follow(isAmount(next.amount) ? next : null)
  }
  const choose = (next: { readonly from: string; readonly to: string }) => {
    setCodes(next)
    input.forget()
    follow({ ...current, ...next })
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    if (!input.check()) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    setIsEdited(true)
    if (live.quote !== null && Date.parse(live.quote.until) > Date.now()) {
      onQuote(live.quote)
      return
    }
    setIsSending(true)
    void live.request(current).then((quote) => {
      setIsSending(false)
      if (quote !== null) onQuote(quote)
    })
  }
  return {
    from: codes.from,
    to,
    side,
    typed: input.typed,
    error: input.error,
    live: { ...live, refusal },
    others,
    isSending,
    canSwap: held.some(({ currency }) => currency === to),
    type: (typedSide, typed) => {
      setSide(typedSide)
      follow({ ...current, side: typedSide, amount: input.onType(typed) })
    },
    chooseFrom: (code) => choose({ from: code, to: code === to ? codes.from : to }),
    chooseTo: (code) => choose({ from: codes.from, to: code }),
    swap: () => choose({ from: to, to: codes.from }),
    submit,
  }
}

/** The rate, the fee in it, and how long the server holds it. */
function RateLine({ quote }: { readonly quote: Quote | null }) {
  const secondsLeft = useSecondsUntil(quote?.until)
  return (
    <div className="exchange-rate" role="status">
      {quote !== null && (
        <>
          <span>
            <strong>{writeRates(quote).rate}</strong>
            {' · '}
            {words.price.feeOf(words.price.percent(groupDecimal(quote.spreadPercent)))}
          </span>
          <span aria-live="off">
            {secondsLeft === 0 ? words.price.expired : words.price.held(writeCountdown(secondsLeft ?? 0))}
          </span>
        </>
      )}
    </div>
  )
}

function writeQuoted(quote: Quote | null, side: Side): string {
  return quote === null ? '' : writeDecimal(shortDecimal(quote[side]))
}

function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text) && /[1-9]/.test(text)
}

function nameOf(currencies: readonly Named[], code: string): string {
  const found = currencies.find(({ currency }) => currency === code)
  return found === undefined ? code : toCurrency(found).name
}

function nameOption(each: Named): readonly [string, string] {
  return [each.currency, `${each.currency}, ${toCurrency(each).name}`]
}

function sortHeldFirst(currencies: readonly Named[], held: readonly Held[]): readonly Named[] {
  const isHeld = (code: string): boolean => held.some(({ currency }) => currency === code)
  return currencies.toSorted((a, b) => Number(isHeld(b.currency)) - Number(isHeld(a.currency)))
}
