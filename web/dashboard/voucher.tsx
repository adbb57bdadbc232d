import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { QrCode } from '../ui/qr-code.tsx'
import { Ticket, type TicketState } from '../ui/ticket.tsx'
import { useSaid } from '../ui/use-said.tsx'
import { voucherLink } from '../ui/voucher-address.ts'
import type { OneIssued, VoucherState } from './answers.ts'
import { act, useKnown } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { CopyCode } from './issued-ticket.tsx'
import { Link } from './place.ts'
import { Figures, LastDay, Loaded, useFindCurrency, When } from './shop.tsx'
import { Status } from './status.tsx'
import { VoucherActs } from './voucher-acts.tsx'
import { Life } from './voucher-life.tsx'
import { sayRefusal, words } from './words.ts'

export function OneVoucher({ id }: { readonly id: string }) {
  const known = useKnown<OneIssued>(`/merchant/issued/${id}`)
  return (
    <Screen heading={words.voucher.heading} back="/vouchers">
      <Loaded known={known}>{(one) => <Voucher one={one} />}</Loaded>
    </Screen>
  )
}

const shapes: Readonly<Partial<Record<VoucherState, TicketState>>> = { open: 'open', expired: 'expired' }

function Voucher({ one: { voucher, life } }: { readonly one: OneIssued }) {
  const find = useFindCurrency()
  const [code, setCode] = useState('')
  const { tell, shown } = useSaid(sayRefusal)
  const { id, codeTail, state, balance, amount, currency, isDelivered } = voucher
  const hidden = isDelivered ? words.voucher.showing : words.voucher.notDelivered
  const show = () =>
    void act<{ readonly code: string }>(`/merchant/issued/${id}/code`, {}).then((answer) => {
      if ('refusal' in answer) tell(answer, '')
      else setCode(answer.data.code)
    })
  const stamp = words.vouchers.states[state]
  return (
    <>
      <div className="printed issued-ticket">
        <Ticket
          heading={<Status of={state} names={words.vouchers.states} />}
          state={shapes[state] ?? 'used up'}
          balance={balance}
          amount={amount}
          currency={find(currency)}
          code={code === '' ? `••••-••••-••••-${codeTail}` : code}
          merchantCode=""
          codeAct={
            code !== '' ? <CopyCode code={code} /> : isDelivered && <Button onClick={show}>{words.voucher.show}</Button>
          }
          qr={code === '' ? null : <QrCode content={voucherLink({ code, merchantCode: '' })} label={words.issue.qr} />}
          act={<p className="soft issued-words">{code === '' ? hidden : words.issue.forTill}</p>}
          words={{
            ...{ left: words.vouchers.left, of: words.vouchers.of('').trim(), code: words.vouchers.code },
            stamps: { open: '', 'used up': stamp, expired: stamp },
          }}
        />
      </div>
      {shown}
      <div className="acts">{code !== '' && <Button onClick={() => print()}>{words.print}</Button>}</div>
      <div className="payment-columns">
        <div className="payment-column">
          <AboutVoucher voucher={voucher} />
          <VoucherActs voucher={voucher} />
        </div>
        <Life life={life} currency={currency} />
      </div>
    </>
  )
}

function AboutVoucher({ voucher }: { readonly voucher: OneIssued['voucher'] }) {
  const { recipient, onlyAt, expiresAt, hasPin, batchId, replacedBy, replaces, amount, currency } = voucher
  return (
    <Facts
      rows={[
        [words.amount, <Figures key="amount" value={amount} code={currency} />],
        [words.vouchers.created, <When key="created" at={voucher.createdAt} />],
        [words.voucher.expires, expiresAt === '' ? words.vouchers.never : <LastDay key="expires" at={expiresAt} />],
        ...(recipient === '' ? [] : [[words.voucher.for, recipient] as const]),
        ...(onlyAt.length === 0 ? [] : [[words.voucher.onlyAt, onlyAt.join(', ')] as const]),
        ...(hasPin ? [[words.voucher.hasPin, words.voucher.yes] as const] : []),
        ...linkRow(words.voucher.batch, batchId, `batches/${batchId}`),
        ...linkRow(words.voucher.replacedBy, replacedBy, replacedBy),
        ...linkRow(words.voucher.replaces, replaces, replaces),
      ]}
    />
  )
}

function linkRow(name: string, id: string, path: string) {
  if (id === '') return []
  return [
    [
      name,
      <Link key={name} to={`/vouchers/${path}`}>
        {words.voucher.openIt}
      </Link>,
    ] as const,
  ]
}
