import { type ReactNode, useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import type { AskedPayment } from '../shell/responses.ts'
import { act, useAct, useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { PaymentStatus } from '../parts/status.tsx'
import { Link } from '../shell/place.ts'
import { formatMoney, Loaded, Money, screensFor, useShop, When } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'

const lookAgainMs = 2_000

/** A payment request while the customer decides, and how it ended. */
export function OneRequest({ reference }: { readonly reference: string }): ReactNode {
  const known = useKnown<AskedPayment>(`/merchant/payment-requests/${encodeURIComponent(reference)}`)
  const { retry } = known
  const isOpen = known.data?.status === 'PENDING'
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(retry, lookAgainMs)
    return () => clearInterval(timer)
  }, [isOpen, retry])
  return (
    <Screen heading={money.requests.oneHeading} back="/requests">
      <Loaded known={known}>{(request) => <Asked request={request} />}</Loaded>
    </Screen>
  )
}

function Asked({ request }: { readonly request: AskedPayment }) {
  const { merchant } = useShop()
  const { amount, currency, status, person, note, by, link, reference, createdAt, expiresAt } = request
  const isOpen = status === 'PENDING'
  return (
    <>
      <p>
        <Money value={amount} code={currency} size="large" />
      </p>
      <div role="status">
        {status === 'COMPLETED' && <Notice kind="done">{money.requests.paid(formatMoney(amount, currency))}</Notice>}
        {isOpen && <Notice kind="wait">{money.requests.waiting}</Notice>}
      </div>
      {link !== '' && <PaymentLink link={link} />}
      <div className="narrow">
        <Facts
          rows={[
            [money.requests.payer, person === '' ? money.requests.anyone : person],
            [money.requests.status, <PaymentStatus key="status" payment={request} />],
            ...(note === '' ? [] : [[money.requests.note, note] as const]),
            [money.requests.by, by === '' ? money.requests.api : by],
            [money.requests.created, <When key="created" at={createdAt} />],
            ...(isOpen ? [[money.requests.expires, <When key="expires" at={expiresAt} />] as const] : []),
          ]}
        />
      </div>
      {isOpen && merchant.role !== 'accountant' && <Cancel reference={reference} />}
      {!isOpen && (
        <div className="acts">
          {screensFor(merchant.role).includes('payments') && (
            <Link className="button" data-kind="quiet" to={`/payments/${encodeURIComponent(reference)}`}>
              {money.requests.openPayment}
            </Link>
          )}
          {merchant.role !== 'accountant' && (
            <Link className="button" data-kind="main" to="/requests/new">
              {money.requests.another}
            </Link>
          )}
        </div>
      )}
    </>
  )
}

function PaymentLink({ link }: { readonly link: string }) {
  return (
    <div className="request-code">
      <QrCode content={link} label={money.requests.qr} />
      <p className="soft">{money.requests.scan}</p>
      <code className="request-link">{link}</code>
      <CopyButton text={link} label={money.requests.copyLink} />
    </div>
  )
}

function Cancel({ reference }: { readonly reference: string }) {
  const { state, refusal, start } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const cancel = () =>
    start(() => act(`/merchant-integrations-server/payment-requests/${encodeURIComponent(reference)}/cancel`, {}))
  return (
    <>
      {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="danger-quiet" aria-disabled={isBusy} onClick={() => isBusy || cancel()}>
          {isBusy ? words.oneMoment : money.requests.cancel}
        </Button>
      </div>
    </>
  )
}
