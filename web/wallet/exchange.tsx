import { useState } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAmount } from './amount-fields.tsx'
import { act, type Quote } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { Confirm, Done, Loaded, Money, useBalances } from './parts.tsx'
import { useAct } from './use-act.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
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
            <Quoted key={quote.quoteId} quote={quote} onAgain={ask} />
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

/** Exactly what leaves and what comes, for as long as that is kept. */
function Quoted({ quote, onAgain }: { readonly quote: Quote; readonly onAgain: () => void }) {
  const changing = useAct<object>()
  const left = useSecondsUntil(quote.until)
  if (changing.done !== null)
    return (
      <Done heading={words.exchange.done} lead={words.exchange.doneLead}>
        <Money value={quote.gets} code={quote.to} size="large" tone="in" />
      </Done>
    )
  const isOver = left === 0 && changing.state === 'idle'
  const change = (pin: string | undefined) =>
    changing.start(() => act('/wallet/exchange', { quoteId: quote.quoteId, pin }))
  return (
    <>
      <Facts
        rows={[
          [words.exchange.youGive, <Money key="gives" value={quote.pays} code={quote.from} />],
          [words.exchange.youGet, <Money key="gets" value={quote.gets} code={quote.to} tone="in" />],
        ]}
      />
      {isOver ? (
        <>
          <Notice>{words.exchange.over}</Notice>
          <div className="acts">
            <Button kind="main" onClick={onAgain}>
              {words.exchange.again}
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className="soft">{words.pay.until(left ?? 0)}</p>
          <Confirm label={words.exchange.act} act={changing} onConfirm={change} />
        </>
      )}
    </>
  )
}
