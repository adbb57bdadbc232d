import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, type Held, type Named, type Quote } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { Done, type HeldBalances, Loaded, Money, toCurrency, useBalances } from './parts.tsx'
import { ChangingMoney, ConfirmQuote, priceRows, RateChanged } from './quoted.tsx'
import { useAct } from './use-act.ts'
import { useHeldQuote } from './use-held-quote.ts'
import { Facts } from '../ui/facts.tsx'
import { isAboutAmount } from './use-shown-refusal.ts'
import { describeError, words } from './words.ts'

export function Exchange(): ReactNode {
  const balances = useBalances()
  return (
    <Screen heading={words.exchange.heading} back="/">
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.exchange.needsBalance}</Notice>
          ) : (
            <ExchangeForm held={balances.held} offered={balances.offered} />
          )
        }
      </Loaded>
    </Screen>
  )
}

function ExchangeForm({ held, offered }: Pick<HeldBalances, 'held' | 'offered'>) {
  const [toCode, setTo] = useState('')
  const [quote, setQuote] = useState<Quote | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isLoading, setIsLoading] = useState(false)
  const { amount, currency: from, fields, check } = useAmount(held, refusal)
  const others = sortHeldFirst(offered, held).filter(({ currency }) => currency !== from)
  const to = others.some(({ currency }) => currency === toCode) ? toCode : (others[0]?.currency ?? '')

  const getQuote = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isLoading) return
    if (!check()) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    setIsLoading(true)
    void act<Quote>('/wallet/quotes', { from, to, amount }).then((answer) => {
      setIsLoading(false)
      setRefusal('refusal' in answer ? answer.refusal : null)
      setQuote('data' in answer ? answer.data : null)
    })
  }
  const onRefused = (refused: Refusal) => {
    setRefusal(refused)
    setQuote(null)
  }
  if (quote !== null) return <Quoted key={quote.quoteId} first={quote} onRefused={onRefused} />
  return (
    <form className="fields" noValidate onSubmit={getQuote}>
      <div onChange={() => setRefusal(null)}>{fields}</div>
      <Choice
        label={words.exchange.to}
        value={to}
        onChange={(event) => {
          setTo(event.target.value)
          setRefusal(null)
        }}
        options={others.map((each) => [each.currency, `${each.currency}, ${toCurrency(each).name}`])}
      />
      {refusal !== null && !isAboutAmount(refusal) && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isLoading}>
          {isLoading ? words.oneMoment : words.exchange.quote}
        </Button>
      </div>
    </form>
  )
}

function sortHeldFirst(currencies: readonly Named[], held: readonly Held[]): readonly Named[] {
  const isHeld = (code: string): boolean => held.some(({ currency }) => currency === code)
  return currencies.toSorted((a, b) => Number(isHeld(b.currency)) - Number(isHeld(a.currency)))
}

/** Refusals after which the user needs another amount, or has to wait. */
const needsOtherAmount = /^(WALLET_TOO_LOW|EXCHANGE_STOPPED|EXCHANGE_DAILY_LIMIT|EXCHANGE_LIMIT_REACHED)$/

type QuotedProps = {
  readonly first: Quote
  /** Called when the quote cannot be executed and the user needs another amount. */
  readonly onRefused: (refusal: Refusal) => void
}

/** What the user pays and gets, and the rate, while the rate is held. */
function Quoted({ first, onRefused }: QuotedProps) {
  const exchanging = useAct<object>()
  const reportRefusal = <Data,>(answer: Answer<Data>): Answer<Data> => {
    if ('refusal' in answer && needsOtherAmount.test(answer.refusal.code)) onRefused(answer.refusal)
    return answer
  }
  const held = useHeldQuote({
    first,
    acting: exchanging,
    execute: ({ quoteId }, pin) => act<object>('/wallet/exchange', { quoteId, pin }).then(reportRefusal),
    requote: () =>
      act<Quote>('/wallet/quotes', { from: first.from, to: first.to, amount: first.pays }).then(reportRefusal),
  })
  const { quote } = held
  if (exchanging.done !== null)
    return (
      <Done heading={words.exchange.done} lead={words.exchange.doneLead}>
        <Money value={quote.gets} code={quote.to} size="large" tone="in" />
      </Done>
    )
  return (
    <>
      <RateChanged held={held} side="gets" words={words.exchange} />
      <Facts
        rows={[
          [words.exchange.youPay, <Money key="pays" value={quote.pays} code={quote.from} />],
          [words.exchange.youGet, <ChangingMoney key="gets" held={held} side="gets" tone="in" />],
          ...priceRows(quote),
        ]}
      />
      <ConfirmQuote held={held} acting={exchanging} label={words.exchange.act} newLabel={words.exchange.actAtNewRate} />
    </>
  )
}
