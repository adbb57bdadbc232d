import { useState, type ReactNode } from 'react'
import type { Answer } from '../ui/send-request.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { act, type Offer, type OfferedRequest, type Paid, type Quote, read } from './request-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Done, Loaded, Money, useWriteMoney } from './parts.tsx'
import { ChangingMoney, ConfirmQuote, priceRows, RateChanged } from './quoted.tsx'
import { Link } from './route.ts'
import { useAct } from './use-act.ts'
import { useHeldQuote } from './use-held-quote.ts'
import type { Act } from '../ui/use-act.ts'
import { Facts } from '../ui/facts.tsx'
import { UnpaidRequest } from './unpaid.tsx'
import { words } from './words.ts'

/** A payment request: who requests how much for what, and what the user pays. */
export function Pay({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<OfferedRequest>(`/wallet/payment-requests/${id}`)
  return (
    <Screen heading={words.pay.heading(known.data?.merchant ?? '…')} back="/">
      <Loaded known={known}>{(request) => <Request key={request.id} request={request} />}</Loaded>
    </Screen>
  )
}

function Request({ request }: { readonly request: OfferedRequest }) {
  const { id, amount, currency, note, status, from } = request
  const paying = useAct<Paid>()
  const declining = useAct<object>()
  const [code, setCode] = useState('')
  const enough = from.filter(({ isEnough }) => isEnough)
  const offer = from.find((each) => each.from === code) ?? enough.find((each) => each.from === currency) ?? enough[0]

  if (status === 'COMPLETED') return <PaidRequest request={request} moveId={paying.done?.id} />
  if (status === 'FAILED' || status === 'CANCELED') return <UnpaidRequest request={request} />

  const decline = (block: boolean) =>
    declining.start(() => act(`/wallet/payment-requests/${id}/decline`, block ? { block } : {}))
  const isBusy = paying.state !== 'idle' || declining.state !== 'idle'
  const choose = (chosen: string) => {
    setCode(chosen)
    // The refusal on the screen was for the other currency.
    paying.again()
  }
  return (
    <>
      <p className="wallet-large">
        <Money value={amount} code={currency} size="large" />
      </p>
      {note !== '' && <p className="wallet-note">{note}</p>}
      {enough.length === 0 ? (
        <Notice>
          {words.pay.noneEnough} <Link to="/redeem">{words.home.redeem}</Link>
        </Notice>
      ) : (
        <>
          {from.length > 1 && (
            <Choice
              label={words.pay.from}
              value={offer?.from ?? ''}
              disabled={isBusy}
              onChange={(event) => choose(event.target.value)}
              options={from.map((each) => [each.from, nameOfOffer(each)])}
            />
          )}
          {offer !== undefined && <Offered key={offer.from} request={request} offer={offer} paying={paying} />}
        </>
      )}
      <div className="acts">
        <Button aria-disabled={isBusy} onClick={() => isBusy || decline(false)}>
          {words.pay.decline}
        </Button>
        <Button kind="bare" aria-disabled={isBusy} onClick={() => isBusy || decline(true)}>
          {words.pay.declineAndBlock}
        </Button>
      </div>
    </>
  )
}

type OfferedProps = { readonly request: OfferedRequest; readonly offer: Offer; readonly paying: Act<Paid> }

/**
 * What the user pays in the chosen currency. The price stays as first shown until it expires, although every event reloads
 * the request: the amount must not change while the user is about to press Pay.
 */
function Offered({ request: { id, merchant, expiresAt }, offer, paying }: OfferedProps) {
  const write = useWriteMoney()
  const held = useHeldQuote({
    first: offer,
    acting: paying,
    execute: (quote, pin) => act<Paid>(`/wallet/payment-requests/${id}/authorise`, { ...quoteIdOf(quote), pin }),
    requote: () => findOffer(id, offer.from),
  })
  const { quote } = held
  return (
    <>
      <RateChanged held={held} side="pays" words={words.pay} />
      <Facts
        rows={[
          [words.pay.youPay, <ChangingMoney key="youPay" held={held} side="pays" />],
          [words.pay.merchantGets(merchant), <Money key="merchantGets" value={quote.gets} code={quote.to} />],
          ...(isConverted(quote) ? priceRows(quote) : []),
          [words.pay.expires, <Moment key="expires" at={expiresAt} form="time" />],
        ]}
      />
      {!offer.isEnough && <Notice>{words.pay.tooLowIn(offer.from)}</Notice>}
      <ConfirmQuote
        held={held}
        acting={paying}
        label={words.pay.act}
        newLabel={words.pay.actInstead(write(quote.pays, quote.from))}
        isDisabled={!offer.isEnough}
      />
    </>
  )
}

function isConverted({ from, to }: Quote): boolean {
  return from !== to
}

function quoteIdOf(quote: Quote): { readonly quoteId?: string } {
  return isConverted(quote) ? { quoteId: quote.quoteId } : {}
}

/** The current price in one currency. */
async function findOffer(id: string, code: string): Promise<Answer<Quote>> {
  const answer = await read<OfferedRequest>(`/wallet/payment-requests/${id}`)
  if ('refusal' in answer) return answer
  const offer = answer.data.from.find(({ from }) => from === code)
  if (offer !== undefined) return { data: offer }
  return { refusal: { code: answer.data.status === 'PENDING' ? 'RATE_UNKNOWN' : 'PAYMENT_ENDED', message: '' } }
}

function nameOfOffer({ from, isEnough }: Offer): string {
  return isEnough ? from : `${from}, ${words.pay.notEnough}`
}

type PaidRequestProps = { readonly request: OfferedRequest; readonly moveId: string | undefined }

function PaidRequest({ request: { merchant, amount, currency }, moveId }: PaidRequestProps) {
  const receipt = moveId !== undefined && (
    <Link className="button" data-kind="quiet" to={`/receipt/${moveId}`}>
      {words.receipt.heading}
    </Link>
  )
  return (
    <Done heading={words.pay.paid} lead={words.pay.paidLead(merchant)} more={receipt}>
      <Money value={amount} code={currency} size="large" />
    </Done>
  )
}
