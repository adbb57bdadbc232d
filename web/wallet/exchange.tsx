import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Answer, Refusal } from '../ui/send-request.ts'
import { ExchangeForm } from './exchange-form.tsx'
import { Screen } from './frame.tsx'
import { Money, useBalances, useWriteMoney } from './money.tsx'
import { Done, Loaded } from './parts.tsx'
import { ChangingMoney, ConfirmQuote, priceRows, RateChanged } from './quoted.tsx'
import { act, type Quote } from './request-wallet.ts'
import { useAct } from './use-act.ts'
import { useHeldQuote } from './use-held-quote.ts'
import { words } from './words.ts'

/** First the amounts, which the server computes as the user types, then the confirmation of exactly that quote. */
export function Exchange(): ReactNode {
  const balances = useBalances()
  const [quote, setQuote] = useState<Quote | null>(null)
  const [returned, setReturned] = useState<{ readonly quote: Quote; readonly refusal: Refusal | null } | null>(null)
  const goBack = (last: Quote, refusal: Refusal | null) => {
    setReturned({ quote: last, refusal })
    setQuote(null)
  }
  return (
    <Screen heading={words.exchange.heading} back="/">
      <Loaded known={balances} placeholder={<Skeleton shape="block" />}>
        {() =>
          balances.held.length === 0 ? (
            <Notice>{words.exchange.needsBalance}</Notice>
          ) : quote === null ? (
            <ExchangeForm held={balances.held} offered={balances.offered} returned={returned} onQuote={setQuote} />
          ) : (
            <Quoted key={quote.quoteId} first={quote} onBack={goBack} />
          )
        }
      </Loaded>
    </Screen>
  )
}

/** Refusals after which the user needs another amount, or has to wait. */
const needsOtherAmount = /^(WALLET_TOO_LOW|EXCHANGE_STOPPED|EXCHANGE_DAILY_LIMIT|EXCHANGE_LIMIT_REACHED)$/

type QuotedProps = {
  readonly first: Quote
  /** Called with the refusal when the quote cannot be executed, or with null when the user wants another amount. */
  readonly onBack: (last: Quote, refusal: Refusal | null) => void
}

/** What the user pays and gets, and the rate, while the rate is held. */
function Quoted({ first, onBack }: QuotedProps) {
  const exchanging = useAct<object>()
  const write = useWriteMoney()
  const reportRefusal = <Data,>(answer: Answer<Data>): Answer<Data> => {
    if ('refusal' in answer && needsOtherAmount.test(answer.refusal.code)) onBack(first, answer.refusal)
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
  const isBusy = exchanging.state !== 'idle'
  return (
    <>
      <RateChanged held={held} side="gets" words={words.exchange} />
      <Facts
        rows={[
          [words.exchange.youPay, <Money key="pays" value={quote.pays} code={quote.from} />],
          ...priceRows(quote),
          [words.exchange.youGet, <ChangingMoney key="gets" held={held} side="gets" tone="in" />],
        ]}
      />
      <ConfirmQuote
        held={held}
        acting={exchanging}
        label={words.exchange.act(write(quote.pays, quote.from))}
        newLabel={words.exchange.actAtNewRate}
      />
      <Button kind="bare" aria-disabled={isBusy} onClick={() => isBusy || onBack(quote, null)}>
        {words.exchange.change}
      </Button>
    </>
  )
}
