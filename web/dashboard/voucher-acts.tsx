import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { IssuedVoucher, PendingOutflow, ShownVoucher, VoucherState } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Dialog } from './dialog.tsx'
import { IssuedTicket } from './issued-ticket.tsx'
import { isPending, PendingReplacement } from './pending.tsx'
import { usePin } from './use-pin.tsx'
import { sayRefusal, words } from './words.ts'

type ActName = 'block' | 'unblock' | 'replace' | 'resetPin' | 'cancel' | 'reopen'

const paths: Readonly<Record<ActName, string>> = {
  ...{ block: 'block', unblock: 'unblock', replace: 'replace', resetPin: 'reset-pin', cancel: 'cancel' },
  reopen: 'reopen',
}
const possible: Readonly<Record<VoucherState, readonly ActName[]>> = {
  open: ['block', 'replace', 'resetPin', 'cancel'],
  blocked: ['unblock', 'replace', 'cancel'],
  frozen: ['resetPin', 'block', 'replace', 'cancel'],
  expired: ['reopen'],
  used: [],
  cancelled: [],
  replaced: [],
}

type Replacement = ShownVoucher | PendingOutflow

/** What an issuer can do about a voucher in its state. Each says what it does before it is done. */
export function VoucherActs({ voucher }: { readonly voucher: IssuedVoucher }) {
  const [chosen, setChosen] = useState<ActName | null>(null)
  const [replacement, setReplacement] = useState<Replacement | null>(null)
  const acts = possible[voucher.state].filter((name) => name !== 'resetPin' || voucher.hasPin)
  return (
    <>
      {acts.length > 0 && (
        <section>
          <h2 className="voucher-acts-heading">{words.voucher.acts}</h2>
          <div className="acts">
            {acts.map((name) => (
              <Button key={name} onClick={() => setChosen(name)}>
                {words.voucher[name]}
              </Button>
            ))}
          </div>
        </section>
      )}
      {replacement !== null && isPending(replacement) && (
        <PendingReplacement
          pending={replacement}
          isUsable={voucher.state === 'open'}
          onClose={() => setReplacement(null)}
        />
      )}
      {replacement !== null && !isPending(replacement) && (
        <Dialog heading={words.voucher.replaceDone} onClose={() => setReplacement(null)}>
          <IssuedTicket voucher={replacement} />
          <div className="acts">
            <Button onClick={() => print()}>{words.print}</Button>
            <Button onClick={() => setReplacement(null)}>{words.close}</Button>
          </div>
        </Dialog>
      )}
      {chosen !== null && (
        <ActDialog
          name={chosen}
          voucher={voucher}
          onClose={() => setChosen(null)}
          onReplaced={(next) => {
            setChosen(null)
            setReplacement(next)
          }}
        />
      )}
    </>
  )
}

type ActDialogProps = {
  readonly name: ActName
  readonly voucher: IssuedVoucher
  readonly onClose: () => void
  readonly onReplaced: (replacement: Replacement) => void
}

function ActDialog({ name, voucher, onClose, onReplaced }: ActDialogProps) {
  const { id, hasPin, isDelivered } = voucher
  const [lockPin, setLockPin] = useState('')
  const [voucherCode, setVoucherCode] = useState('')
  const [reason, setReason] = useState('')
  const acting = useAct<Replacement>()
  const { state, start } = acting
  const pin = usePin(acting)
  const isBusy = state !== 'idle'
  // Whoever gets the new code gets the value, so a replacement is confirmed as a new voucher is.
  const isReplace = name === 'replace'
  const isCancel = name === 'cancel'
  const asksPin = hasPin && (isReplace || name === 'resetPin' || (isCancel && isDelivered))
  const isReady = !isReplace || (pin.isReady && (!hasPin || lockPin.length === 4))
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || !isReady) return
    const body = {
      ...(asksPin && lockPin !== '' && { lockPin }),
      ...(isCancel && voucherCode.trim() !== '' && { voucherCode: voucherCode.trim() }),
      ...(isCancel && reason.trim() !== '' && { reason: reason.trim() }),
      ...(isReplace && { pin: pin.take() }),
    }
    start(async (referenceId) => {
      const path = `/merchant-integrations-server/vouchers/${id}/${paths[name]}`
      const answer = await act<Replacement>(path, { ...body, ...(isReplace && { referenceId }) })
      if (!('refusal' in answer)) {
        if (isReplace) onReplaced(answer.data)
        else onClose()
      }
      return answer
    })
  }
  return (
    <Dialog heading={words.voucher[name]} isBusy={isBusy} onClose={onClose}>
      <p>{words.voucher[`${name}Lead`]}</p>
      {isCancel && isDelivered && <Notice>{words.voucher.cancelCare}</Notice>}
      <form className="fields" noValidate onSubmit={submit}>
        {isCancel && isDelivered && (
          <Field
            label={words.voucher.cancelCode}
            face="code"
            autoComplete="off"
            maxLength={64}
            value={voucherCode}
            disabled={isBusy}
            onChange={(event) => setVoucherCode(event.target.value)}
          />
        )}
        {asksPin && (
          <DigitsField
            label={isCancel ? words.voucher.cancelPin : words.voucher.newPin}
            hint={words.voucher.newPinHint}
            length={4}
            value={lockPin}
            disabled={isBusy}
            onDigits={setLockPin}
          />
        )}
        {isCancel && (
          <Field
            label={words.voucher.reason}
            hint={words.payment.reasonHint}
            maxLength={500}
            value={reason}
            disabled={isBusy}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        {isReplace && pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{sayRefusal(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
            {isBusy ? words.oneMoment : words.voucher[name]}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
