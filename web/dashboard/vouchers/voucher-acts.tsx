import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { IssuedVoucher, PendingOutflow, ShownVoucher, VoucherState } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { IssuedTicket } from './issued-ticket.tsx'
import { isPending, PendingReplacement } from '../approvals/pending.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { describeError, words } from '../words/words.ts'

type ActName = 'block' | 'unblock' | 'replace' | 'resetPin' | 'cancel' | 'reopen'

const lockPinLength = 4
const paths: Readonly<Record<ActName, string>> = {
  block: 'block',
  unblock: 'unblock',
  replace: 'replace',
  resetPin: 'reset-pin',
  cancel: 'cancel',
  reopen: 'reopen',
}
const actsByState: Readonly<Record<VoucherState, readonly ActName[]>> = {
  open: ['block', 'replace', 'resetPin', 'cancel'],
  blocked: ['unblock', 'replace', 'cancel'],
  inactive: ['cancel'],
  frozen: ['resetPin', 'block', 'replace', 'cancel'],
  expired: ['reopen'],
  used: [],
  cancelled: [],
  replaced: [],
}

/** Acts that end the use of a code. */
function isDestructive(name: ActName): boolean {
  return name === 'cancel' || name === 'replace' || name === 'block'
}

type Replacement = ShownVoucher | PendingOutflow

/** The actions that the state of a voucher allows. Each one is explained in a dialog first. */
export function VoucherActs({ voucher }: { readonly voucher: IssuedVoucher }): ReactNode {
  const [chosen, setChosen] = useState<ActName | null>(null)
  const [replacement, setReplacement] = useState<Replacement | null>(null)
  const acts = actsByState[voucher.state].filter((name) => name !== 'resetPin' || voucher.hasPin)
  return (
    <>
      {acts.length > 0 && (
        <section>
          <h2 className="voucher-acts-heading">{words.voucher.acts}</h2>
          <div className="acts">
            {acts.map((name) => (
              <Button key={name} kind={isDestructive(name) ? 'danger-quiet' : 'quiet'} onClick={() => setChosen(name)}>
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
  const [input, setInput] = useState<ActInput>({ lockPin: '', voucherCode: '', reason: '' })
  const acting = useAct<Replacement>()
  const { state, start } = acting
  const pin = usePin(acting)
  const isBusy = state !== 'idle'
  const needs = needsOf(name, voucher)
  const isReplace = name === 'replace'
  const lockPinMark = useMark(!isReplace || !voucher.hasPin || input.lockPin.length === lockPinLength)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (![lockPinMark.check(), !needs.confirmation || pin.check()].every(Boolean)) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = { ...bodyOf(input, needs), ...(needs.confirmation && { pin: pin.take() }) }
    start(async (referenceId) => {
      const path = `/merchant-integrations-server/vouchers/${voucher.id}/${paths[name]}`
      const response = await act<Replacement>(path, { ...body, ...(isReplace && { referenceId }) })
      if (!('refusal' in response)) {
        if (isReplace) onReplaced(response.data)
        else onClose()
      }
      return response
    })
  }
  return (
    <Dialog heading={words.voucher.headings[name]} isBusy={isBusy} onClose={onClose}>
      <p>{words.voucher[`${name}Lead`]}</p>
      {needs.voucherCode && <Notice>{words.voucher.cancelCare}</Notice>}
      <form className="fields" noValidate onChange={acting.forget} onSubmit={submit}>
        <ActFields
          name={name}
          needs={needs}
          input={input}
          lockPinError={lockPinMark.isMarked ? words.till.pinMissing : ''}
          isDisabled={isBusy}
          onChange={setInput}
        />
        {needs.confirmation && pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind={isDestructive(name) ? 'danger' : 'main'} type="submit" aria-disabled={isBusy}>
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

type ActInput = { readonly lockPin: string; readonly voucherCode: string; readonly reason: string }
/** Which fields an action has. `confirmation` is the staff member's own PIN. */
type ActNeeds = Readonly<Record<'lockPin' | 'voucherCode' | 'reason' | 'confirmation', boolean>>

/** A new code or a new PIN gives access to the balance, so both need the same confirmation as a new voucher. */
function needsOf(name: ActName, { hasPin, isDelivered }: IssuedVoucher): ActNeeds {
  const isCancel = name === 'cancel'
  const confirmation = name === 'replace' || name === 'resetPin'
  return {
    lockPin: hasPin && (confirmation || (isCancel && isDelivered)),
    voucherCode: isCancel && isDelivered,
    reason: isCancel,
    confirmation,
  }
}

/** Only the fields that the action has and the staff member filled in. */
function bodyOf({ lockPin, voucherCode, reason }: ActInput, needs: ActNeeds): object {
  return {
    ...(needs.lockPin && lockPin !== '' && { lockPin }),
    ...(needs.voucherCode && voucherCode.trim() !== '' && { voucherCode: voucherCode.trim() }),
    ...(needs.reason && reason.trim() !== '' && { reason: reason.trim() }),
  }
}

type ActFieldsProps = {
  readonly name: ActName
  readonly needs: ActNeeds
  readonly input: ActInput
  readonly lockPinError: string
  readonly isDisabled: boolean
  readonly onChange: (input: ActInput) => void
}

function ActFields({ name, needs, input, lockPinError, isDisabled, onChange }: ActFieldsProps) {
  return (
    <>
      {needs.voucherCode && (
        <Field
          label={words.voucher.cancelCode}
          face="code"
          autoComplete="off"
          maxLength={64}
          value={input.voucherCode}
          disabled={isDisabled}
          onChange={(event) => onChange({ ...input, voucherCode: event.target.value })}
        />
      )}
      {needs.lockPin && (
        <DigitsField
          label={name === 'cancel' ? words.voucher.cancelPin : words.voucher.newPin}
          hint={words.voucher.newPinHint}
          error={lockPinError}
          length={lockPinLength}
          value={input.lockPin}
          disabled={isDisabled}
          onDigits={(lockPin) => onChange({ ...input, lockPin })}
        />
      )}
      {needs.reason && (
        <Field
          label={words.voucher.reason}
          hint={words.payment.reasonHint}
          maxLength={500}
          value={input.reason}
          disabled={isDisabled}
          onChange={(event) => onChange({ ...input, reason: event.target.value })}
        />
      )}
    </>
  )
}
