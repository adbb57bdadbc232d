import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { OneIssued } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { When } from '../shell/shop.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'

type Gift = NonNullable<OneIssued['voucher']['gift']>
type GiftCardProps = { readonly voucherId: string; readonly gift: Gift; readonly isOpen: boolean }

/** A voucher that was sold as a gift by email: when it is sent, and to whom. */
export function GiftCard({ voucherId, gift, isOpen }: GiftCardProps): ReactNode {
  const { email, sender, message, sendAt, sentAt, sends } = gift
  const [isSending, setIsSending] = useState(false)
  const { tell, shown } = useOutcome(describeError)
  const label = sentAt === '' ? selling.gift.sendNow : selling.gift.send
  return (
    <Card heading={selling.gift.heading}>
      <div className="fields">
        <Facts
          kind="plain"
          rows={[
            [selling.gift.to, email],
            ...(sender === '' ? [] : [[selling.gift.from, sender] as const]),
            ...(message === '' ? [] : [[selling.gift.message, message] as const]),
            sentAt === ''
              ? [selling.gift.sendOn, <When key="send" at={sendAt} />]
              : [selling.gift.sent, <When key="sent" at={sentAt} />],
            ...(sends > 1 ? [[selling.gift.sends, String(sends)] as const] : []),
          ]}
        />
        {shown}
        {isOpen && (
          <div className="acts">
            <Button onClick={() => setIsSending(true)}>{label}</Button>
          </div>
        )}
      </div>
      {isSending && (
        <SendDialog
          voucherId={voucherId}
          email={email}
          label={label}
          onSent={(to) => {
            setIsSending(false)
            tell({ data: null }, selling.gift.sendDone(to))
          }}
          onClose={() => setIsSending(false)}
        />
      )}
    </Card>
  )
}

type SendDialogProps = {
  readonly voucherId: string
  readonly email: string
  readonly label: string
  readonly onSent: (email: string) => void
  readonly onClose: () => void
}

function SendDialog({ voucherId, email, label, onSent, onClose }: SendDialogProps) {
  const [typed, setTyped] = useState(email)
  const sending = useAct<unknown>()
  const { state, start, forget } = sending
  const pin = usePin(sending)
  const isBusy = state !== 'idle'
  const to = typed.trim()
  // The code of the voucher goes to somebody else.
  const isOther = to.toLowerCase() !== email.toLowerCase()
  const faults = useFaults(/^\S+@\S+\.\S+$/.test(to) ? {} : { email: selling.sell.emailInvalid })
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, faults.check, () => !isOther || pin.check())) return
    const body = isOther ? { email: to, pin: pin.take() } : {}
    start(
      () => act(`/merchant-integrations-server/vouchers/${voucherId}/send`, body),
      (answer) => 'refusal' in answer || onSent(to),
    )
  })
  return (
    <Dialog heading={label} isBusy={isBusy} onClose={onClose}>
      <p>{selling.gift.sendLead}</p>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        <Field
          label={selling.sell.email}
          error={faults.of('email')}
          type="email"
          autoComplete="off"
          maxLength={254}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {isOther && pin.field}
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : label}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
