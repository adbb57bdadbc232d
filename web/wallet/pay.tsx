import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-frame.tsx'
import { Pill } from '../ui/pill.tsx'
import type { Answer } from '../ui/send-request.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Act } from '../ui/use-act.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { Back } from './frame.tsx'
import { useKnown } from './known.ts'
import { Money, useWriteMoney } from './money.tsx'
import { Done, Loaded } from './parts.tsx'
import { PayFrom } from './pay-from.tsx'
import './pay.css'
import { ChangingMoney, ConfirmQuote, priceRows, RateChanged } from './quoted.tsx'
import { writeCountdown } from './rate.ts'
import { ShortReference } from './reference.tsx'
import { act, type Offer, type OfferedRequest, type Paid, type Quote, read } from './request-wallet.ts'
import { Link } from './route.ts'
import { UnpaidRequest } from './unpaid.tsx'
import { useAct } from './use-act.ts'
import { useHeldQuote } from './use-held-quote.ts'
import { words } from './words.ts'

const AskFirst = lazy(async () => ({ default: (await import('./ask-first.tsx')).AskFirst }))

/** A payment request: who requests how much for what, what the user pays, and what remains. */
export function Pay({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<OfferedRequest>(`/wallet/payment-requests/${id}`)
  const merchant = known.data?.merchant ?? '…'
  return (
    <div className="wallet-screen">
      <div className="pay-head">
        <Back to="/" />
        <p>{words.pay.screen}</p>
      </div>
      <div className="pay-who">
        <Avatar name={merchant} picture={known.data?.shop.logoUrl ?? ''} size="l" />
        <PageHeading key={merchant}>{words.pay.heading(merchant)}</PageHeading>
      </div>
      <Loaded known={known} placeholder={<Placeholder />}>
        {(request) => <Request key={request.id} request={request} />}
      </Loaded>
    </div>
  )
}

function Placeholder() {
  return (
    <>
      <div className="pay-amount">
        <Skeleton shape="amount" />
      </div>
      <Skeleton shape="block" />
    </>
  )
}

function Request({ request }: { readonly request: OfferedRequest }) {
  const { currency, status, from } = request
  const paying = useAct<Paid>()
  const declining = useAct<object>()
  const [code, setCode] = useState('')
  const enough = from.filter(({ isEnough }) => isEnough)
  const offer = enough.find((each) => each.from === code) ?? enough.find((each) => each.from === currency) ?? enough[0]

  if (status === 'COMPLETED') return <PaidRequest request={request} moveId={paying.done?.id} />
  if (status === 'FAILED' || status === 'CANCELED') return <UnpaidRequest request={request} />

  const isBusy = paying.state !== 'idle' || declining.state !== 'idle'
  const choose = (chosen: string) => {
    setCode(chosen)
    // The refusal on the screen was for the other currency.
    paying.again()
  }
  return (
    <>
      <Due request={request} />
      {offer === undefined ? (
        <Notice kind="wait">
          {words.pay.noneEnough} <Link to="/redeem">{words.vouchers.redeem}</Link>
        </Notice>
      ) : (
        <>
          <PayFrom offers={sortOffers(from, currency)} value={offer.from} isDisabled={isBusy} onChoose={choose} />
          <Offered key={offer.from} request={request} offer={offer} paying={paying} />
        </>
      )}
      {/* A request by link is to nobody in particular. */}
      {!request.byLink && <Decline request={request} declining={declining} isBusy={isBusy} />}
    </>
  )
}

/** The requested currency first, then fiat, which has fewer decimals than crypto. */
function sortOffers(offers: readonly Offer[], currency: string): readonly Offer[] {
  const rank = ({ from, pays }: Offer): number => (from === currency ? -1 : (pays.split('.')[1]?.length ?? 0))
  return offers.toSorted((a, b) => rank(a) - rank(b))
}

/** How much, what for, and how much time is left. */
function Due({ request: { amount, currency, note, expiresAt } }: { readonly request: OfferedRequest }) {
  const secondsLeft = useSecondsUntil(expiresAt) ?? 0
  return (
    <div className="pay-due">
      <div className="pay-amount">
        <Money value={amount} code={currency} size="large" isDue />
      </div>
      <p className="pay-about">
        {note !== '' && <span className="pay-note">{note}</span>}
        {/* A link has hours. */}
        {secondsLeft < 3_600 && <Pill tone="wait">{words.pay.timeLeft(writeCountdown(secondsLeft))}</Pill>}
      </p>
    </div>
  )
}

type OfferedProps = { readonly request: OfferedRequest; readonly offer: Offer; readonly paying: Act<Paid> }

/**
 * What the user pays in the chosen currency. The price stays as first shown until it expires, although every event reloads
 * the request: the amount must not change while the user is about to press Pay.
 */
function Offered({ request: { id, merchant }, offer, paying }: OfferedProps) {
  const write = useWriteMoney()
  const held = useHeldQuote({
    first: offer,
    acting: paying,
    execute: (quote, pin) => act<Paid>(`/wallet/payment-requests/${id}/authorise`, { ...quoteIdOf(quote), pin }),
    requote: () => findOffer(id, offer.from),
  })
  const { quote } = held
  const price = write(quote.pays, quote.from)
  // The balance that remains is the server's, so it is known for its own price only.
  const remains = quote.pays === offer.pays && offer.remains !== '' ? offer.remains : null
  return (
    <>
      <RateChanged held={held} side="pays" words={words.pay} />
      <Facts
        rows={[
          ...(isConverted(quote)
            ? [[words.pay.youPay, <ChangingMoney key="youPay" held={held} side="pays" />] as const, ...priceRows(quote)]
            : [[words.pay.fee, words.pay.noFee] as const]),
          [words.pay.merchantGets(merchant), <Money key="merchantGets" value={quote.gets} code={quote.to} />],
          ...(remains === null
            ? []
            : [[words.pay.remains, <Money key="remains" value={remains} code={quote.from} />] as const]),
          [words.receipt.reference, <ShortReference key="reference" id={id} />],
        ]}
      />
      <ConfirmQuote held={held} acting={paying} label={words.pay.act(price)} newLabel={words.pay.actInstead(price)} />
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

type DeclineProps = {
  readonly request: OfferedRequest
  readonly declining: Act<object>
  readonly isBusy: boolean
}

/** Declines the request. Blocking the merchant too is asked for first, since it has a lasting effect. */
function Decline({ request: { id, merchant }, declining, isBusy }: DeclineProps) {
  const [isAsking, setIsAsking] = useState(false)
  const decline = (block: boolean) =>
    declining.start(() => act(`/wallet/payment-requests/${id}/decline`, block ? { block } : {}))
  return (
    <div className="pay-decline">
      <Button kind="danger-quiet" aria-disabled={isBusy} onClick={() => isBusy || decline(false)}>
        {words.pay.decline}
      </Button>
      <Button kind="bare" aria-disabled={isBusy} onClick={() => isBusy || setIsAsking(true)}>
        {words.pay.declineAndBlock}
      </Button>
      {isAsking && (
        <Suspense>
          <AskFirst
            heading={words.pay.blockHeading(merchant)}
            lead={words.pay.blockLead}
            act={words.pay.declineAndBlock}
            keep={words.pay.keep}
            isBusy={isBusy}
            onAct={() => decline(true)}
            onClose={() => setIsAsking(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

type PaidRequestProps = { readonly request: OfferedRequest; readonly moveId: string | undefined }

function PaidRequest({ request: { merchant, amount, currency }, moveId }: PaidRequestProps) {
  const receipt = moveId !== undefined && (
    <Link className="button" data-kind="quiet" data-size="l" data-wide to={`/receipt/${moveId}`}>
      {words.receipt.heading}
    </Link>
  )
  return (
    <Done heading={words.pay.paid} lead={words.pay.paidLead(merchant)} more={receipt}>
      <Money value={amount} code={currency} size="large" isDue />
    </Done>
  )
}
