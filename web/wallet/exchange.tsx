import { useState } from 'react'
import type { Answer, Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, type Quote } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { Done, Loaded, Money, useBalances } from './parts.tsx'
import { ChangingMoney, ConfirmQuote, priceRows, RateChanged } from './quoted.tsx'
import { useAct } from './use-act.ts'
import { useHeldQuote } from './use-held-quote.ts'
import { Facts } from '../ui/facts.tsx'
import { sayRefusal, words } from './words.ts'

export function Exchange() {
  const balances = useBalances()
  const { amount, currency: from, fields } = useAmount(balances.held)
  const [toCode, setTo] = useState('')
  const [quote, setQuote] = useState<Quote | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isAsking, setIsAsking] = useState(false)
  const isHeld = (code: string): boolean => balances.held.some(({ currency }) => currency === code)
  const others = balances.offered
    .filter(({ currency }) => currency !== from)
    .sort((a, b) => Number(isHeld(b.currency)) - Number(isHeld(a.currency)))
  const to = others.some(({ currency }) => currency === toCode) ? toCode : (others[0]?.currency ?? '')

  const ask = () => {
    if (isAsking) return
    setIsAsking(true)
    void act<Quote>('/wallet/quotes', { from, to, amount }).then((answer) => {
      setIsAsking(false)
      setRefusal('refusal' in answer ? answer.refusal : null)
      setQuote('data' in answer ? answer.data : null)
    })
  }
  return (
    <Screen heading={words.exchange.heading} back="/">
      <Loaded known={balances}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.exchange.needsTwo}</Notice>
          ) : quote !== null ? (
            <Quoted
              key={quote.quoteId}
              first={quote}
              onRefused={(refused) => {
                setRefusal(refused)
                setQuote(null)
              }}
            />
          ) : (
            <form
              className="fields"
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                ask()
              }}
            >
              {fields}
              <Choice
                label={words.exchange.to}
                value={to}
                onChange={(event) => setTo(event.target.value)}
                options={others.map(({ currency, name }) => [currency, `${currency}, ${name}`])}
              />
              {refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
              <div className="acts">
                <Button kind="main" type="submit" aria-disabled={isAsking}>
                  {isAsking ? words.oneMoment : words.exchange.quote}
                </Button>
              </div>
            </form>
          )
        }
      </Loaded>
    </Screen>
  )
}

/** The user can only go on with another amount, or later. */
const needsOtherAmount = /^(WALLET_TOO_LOW|EXCHANGE_STOPPED|EXCHANGE_DAILY_LIMIT|EXCHANGE_LIMIT_REACHED)$/

type QuotedProps = {
  readonly first: Quote
  /** The quote leads nowhere: another amount is needed. */
  readonly onRefused: (refusal: Refusal) => void
}

/** Exactly what the user pays and gets, and at what rate, for as long as the rate is held. */
function Quoted({ first, onRefused }: QuotedProps) {
  const exchanging = useAct<object>()
  const watch = <Data,>(answer: Answer<Data>): Answer<Data> => {
    if ('refusal' in answer && needsOtherAmount.test(answer.refusal.code)) onRefused(answer.refusal)
    return answer
  }
  const held = useHeldQuote({
    first,
    acting: exchanging,
    execute: ({ quoteId }, pin) => act<object>('/wallet/exchange', { quoteId, pin }).then(watch),
    requote: () => act<Quote>('/wallet/quotes', { from: first.from, to: first.to, amount: first.pays }).then(watch),
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
