import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { act, type Offer, type OfferedRequest } from './ask-wallet.ts'
import { Screen } from './frame.tsx'
import { useKnown } from './known.ts'
import { Confirm, Done, Loaded, Money, WayOn } from './parts.tsx'
import { Link } from './route.ts'
import { useAct } from './use-act.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { Facts } from '../ui/facts.tsx'
import { words } from './words.ts'

/** Who asks, how much, what for, and exactly what leaves. */
export function Pay({ id }: { readonly id: string }) {
  const known = useKnown<OfferedRequest>(`/wallet/payment-requests/${id}`)
  return (
    <Screen heading={words.pay.asks(known.data?.merchant ?? '…')} back="/">
      <Loaded known={known}>{(request) => <Request key={request.id} request={request} onLook={known.retry} />}</Loaded>
    </Screen>
  )
}

type RequestProps = { readonly request: OfferedRequest; readonly onLook: () => void }

function Request({ request, onLook }: RequestProps) {
  const { id, merchant, amount, currency, note, status, expiresAt, from } = request
  const paying = useAct<{ readonly id: string }>()
  const declining = useAct<object>()
  const [code, setCode] = useState('')
  const enough = from.filter(({ isEnough }) => isEnough)
  const offer = from.find((each) => each.from === code) ?? enough.find((each) => each.from === currency) ?? enough[0]
  const left = useSecondsUntil(offer?.until)
  // A rate is kept for a while only. Then there is another.
  useEffect(() => {
    if (left === 0 && paying.state === 'idle') onLook()
  }, [left, paying.state, onLook])

  if (status === 'COMPLETED') return <Paid request={request} moveId={paying.done?.id} />
  if (status === 'FAILED') return <Ended heading={words.pay.declined} lead={words.pay.declinedLead} />
  if (status === 'CANCELED') return <Ended heading={words.pay.ended} lead={words.pay.endedLead} />

  const pay = (pin: string | undefined) => {
    if (offer === undefined) return
    const quoted = offer.from === currency ? {} : { quoteId: offer.quoteId }
    paying.start(() => act(`/wallet/payment-requests/${id}/authorise`, { ...quoted, pin }))
  }
  const decline = (block: boolean) =>
    declining.start(() => act(`/wallet/payment-requests/${id}/decline`, block ? { block } : {}))
  const isBusy = paying.state !== 'idle' || declining.state !== 'idle'
  return (
    <>
      <p className="wallet-large">
        <Money value={amount} code={currency} size="large" />
      </p>
      {note !== '' && <p className="wallet-note">{note}</p>}
      {enough.length === 0 ? (
        <Notice>
          {words.pay.nothingEnough} <Link to="/redeem">{words.home.redeem}</Link>
        </Notice>
      ) : (
        <>
          {from.length > 1 && (
            <Choice
              label={words.pay.from}
              value={offer?.from ?? ''}
              disabled={isBusy}
              onChange={(event) => setCode(event.target.value)}
              options={from.map((each) => [each.from, nameOfOffer(each)])}
            />
          )}
          {offer !== undefined && (
            <Facts
              rows={[
                [words.pay.leaves, <Money key="leaves" value={offer.pays} code={offer.from} />],
                [words.pay.arrives(merchant), <Money key="arrives" value={offer.gets} code={offer.to} />],
                [words.pay.expires, <Moment key="expires" at={expiresAt} form="time" />],
              ]}
            />
          )}
          {offer !== undefined && offer.from !== currency && left !== null && (
            <p className="soft">{words.pay.until(left)}</p>
          )}
          <Confirm label={words.pay.act} act={paying} isDisabled={offer?.isEnough !== true} onConfirm={pay} />
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

function nameOfOffer({ from, isEnough }: Offer): string {
  return isEnough ? from : `${from}, ${words.pay.notEnough}`
}

type PaidProps = { readonly request: OfferedRequest; readonly moveId: string | undefined }

function Paid({ request: { merchant, amount, currency }, moveId }: PaidProps) {
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

function Ended({ heading, lead }: { readonly heading: string; readonly lead: string }) {
  return (
    <>
      <div className="empty" role="status">
        <p>{heading}</p>
        <p>{lead}</p>
      </div>
      <WayOn />
    </>
  )
}
