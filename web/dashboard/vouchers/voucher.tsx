import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { QrCode } from '../../ui/qr-code.tsx'
import { Ticket, type TicketState } from '../../ui/ticket.tsx'
import { voucherLink } from '../../ui/voucher-address.ts'
import type { OneIssued, Revealed, VoucherState } from '../shell/responses.ts'
import { act, useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { ticketWords } from './issued-ticket.tsx'
import '../parts/detail.css'
import { PinDialog } from '../parts/pin-dialog.tsx'
import { OnchainState } from './onchain-state.tsx'
import { Link } from '../shell/place.ts'
import { Money, LastDay, Loaded, useFindCurrency, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { GiftCard } from './send-gift.tsx'
import { VoucherActs } from './voucher-acts.tsx'
import { VoucherActivity } from './voucher-activity.tsx'
import { words } from '../words/words.ts'

export function OneVoucher({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<OneIssued>(`/merchant/issued/${id}`)
  return (
    <Screen heading={words.voucher.heading} back="/vouchers">
      <Loaded known={known}>{(one) => <Voucher one={one} />}</Loaded>
    </Screen>
  )
}

const shapes: Readonly<Partial<Record<VoucherState, TicketState>>> = { open: 'open', expired: 'expired' }

/** The place is that of an onchain voucher. */

function Voucher({ one: { voucher, life } }: { readonly one: OneIssued }) {
  const find = useFindCurrency()
  const [{ code, network, vault }, setRevealed] = useState<Revealed>({ code: '' })
  const [isConfirming, setIsConfirming] = useState(false)
  const { id, codeTail, state, balance, amount, currency, isDelivered } = voucher
  const hidden = isDelivered ? words.voucher.showing : words.voucher.notDelivered
  const show = async (pin: string): Promise<Answer<unknown>> => {
    const response = await act<Revealed>(`/merchant/issued/${id}/code`, { pin })
    if (!('refusal' in response)) {
      setRevealed(response.data)
      setIsConfirming(false)
    }
    return response
  }
  return (
    <>
      <div className="printed issued-ticket">
        <Ticket
          heading={<Status of={state} names={words.vouchers.states} />}
          state={shapes[state] ?? 'used'}
          balance={balance}
          amount={amount}
          currency={find(currency)}
          code={code === '' ? `••••-••••-••••-${codeTail}` : code}
          merchantCode=""
          codeAct={
            code !== '' ? (
              <CopyButton text={code} label={words.issue.copy} />
            ) : (
              isDelivered && <Button onClick={() => setIsConfirming(true)}>{words.voucher.show}</Button>
            )
          }
          qr={code === '' ? null : <QrCode content={voucherLink({ code, merchantCode: '' })} label={words.issue.qr} />}
          act={<p className="soft issued-words">{code === '' ? hidden : words.issue.forTill}</p>}
          words={ticketWords(words.vouchers.states[state])}
        />
        <VaultPlace network={network} vault={vault} />
      </div>
      {isConfirming && (
        <PinDialog heading={words.voucher.show} perform={show} onClose={() => setIsConfirming(false)}>
          <p>{words.voucher.showLead}</p>
        </PinDialog>
      )}
      <div className="acts">{code !== '' && <Button onClick={() => print()}>{words.print}</Button>}</div>
      <div className="payment-columns">
        <div className="payment-column">
          <AboutVoucher voucher={voucher} />
          {voucher.onchain !== null && <OnchainState onchain={voucher.onchain} currency={currency} />}
          {voucher.gift !== null && <GiftCard voucherId={id} gift={voucher.gift} isOpen={state === 'open'} />}
          <VoucherActs voucher={voucher} />
        </div>
        <VoucherActivity life={life} currency={currency} />
      </div>
    </>
  )
}

/** What a holder needs besides the code to redeem an onchain voucher without the shop. */
function VaultPlace({ network, vault }: { readonly network: string | undefined; readonly vault: string | undefined }) {
  if (network === undefined) return null
  const rows = [
    [words.voucher.network, network],
    [words.voucher.vault, vault],
  ] as const
  return <Facts rows={rows} />
}

function AboutVoucher({ voucher }: { readonly voucher: OneIssued['voucher'] }) {
  const { recipient, onlyAt, expiresAt, hasPin, batchId, replacedBy, replaces, amount, currency } = voucher
  return (
    <Facts
      rows={[
        [words.amount, <Money key="amount" value={amount} code={currency} />],
        [words.vouchers.created, <When key="created" at={voucher.createdAt} />],
        [words.vouchers.expires, expiresAt === '' ? words.vouchers.never : <LastDay key="expires" at={expiresAt} />],
        ...(recipient === '' ? [] : [[words.voucher.for, recipient] as const]),
        ...(onlyAt.length === 0 ? [] : [[words.voucher.onlyAt, onlyAt.join(', ')] as const]),
        ...(hasPin ? [[words.voucher.hasPin, words.voucher.yes] as const] : []),
        ...linkRow(words.voucher.batch, batchId, `batches/${batchId}`, words.voucher.openBatch),
        ...linkRow(words.voucher.replacedBy, replacedBy, replacedBy),
        ...linkRow(words.voucher.replaces, replaces, replaces),
      ]}
    />
  )
}

function linkRow(name: string, id: string, path: string, label = words.voucher.openIt) {
  if (id === '') return []
  return [
    [
      name,
      <Link key={name} to={`/vouchers/${path}`}>
        {label}
      </Link>,
    ] as const,
  ]
}
