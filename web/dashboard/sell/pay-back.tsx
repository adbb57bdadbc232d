import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DigitsField } from '../../ui/digits-field.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import type { CashBackOffer, ShownVoucher, SoldVoucher, Tender } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { formatMoney, Money } from '../shell/shop.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'
import { CashNotice, SaleRefusal } from './cash-notice.tsx'
import { TenderChoice } from './payment-fields.tsx'
import { useRegister } from './register.ts'
import { lockPinLength } from './sale-input.ts'

const path = '/merchant-integrations-server/voucher-cash-backs'
/** A gift has no price that could be paid back. */
const paybackTenders: readonly Tender[] = ['cash', 'card', 'bank', 'other']

type PayBackDialogProps = {
  readonly voucher: ShownVoucher
  readonly onDone: (sold: SoldVoucher) => void
  readonly onClose: () => void
}

/** Pays back what is left of a voucher: first the amount, then how. */
export function PayBackDialog(props: PayBackDialogProps): ReactNode {
  const { voucher, onClose } = props
  const [lockPin, setLockPin] = useState('')
  const { answer, fetchAgain } = useOffer(voucher, lockPin)
  const refusal = answer !== null && 'refusal' in answer ? answer.refusal : null
  const offer = answer !== null && 'data' in answer ? answer.data : null
  return (
    <Dialog heading={selling.store.payBackHeading} onClose={onClose}>
      <p>{selling.store.payBackLead}</p>
      {offer === null && voucher.isLocked && <AskPin onPin={setLockPin} />}
      {refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      {offer === null ? (
        <div className="acts">
          <Button onClick={onClose}>{words.close}</Button>
        </div>
      ) : (
        <ConfirmPayBack {...props} offer={offer} lockPin={lockPin} onChanged={fetchAgain} />
      )}
    </Dialog>
  )
}

type Offered = { readonly answer: Answer<CashBackOffer> | null; readonly fetchAgain: () => void }

/** What would be paid back. For a locked voucher it is fetched when the customer has entered the PIN. */
function useOffer({ code: voucherCode, isLocked }: ShownVoucher, lockPin: string): Offered {
  const [answer, setAnswer] = useState<Answer<CashBackOffer> | null>(null)
  const [fetches, setFetches] = useState(0)
  useEffect(() => {
    if (isLocked && lockPin === '') return
    let isShown = true
    const body = { voucherCode, ...(lockPin !== '' && { lockPin }) }
    void act<CashBackOffer>(`${path}/offer`, body).then((next) => {
      if (isShown) setAnswer(next)
    })
    return () => {
      isShown = false
    }
  }, [voucherCode, isLocked, lockPin, fetches])
  return { answer, fetchAgain: () => setFetches(fetches + 1) }
}

function AskPin({ onPin }: { readonly onPin: (pin: string) => void }) {
  const [typed, setTyped] = useState('')
  const faults = useFaults(typed.length === lockPinLength ? {} : { pin: words.till.pinMissing })
  return (
    <form
      className="fields"
      noValidate
      onSubmit={onSubmit((form) => {
        if (checkForm(form, faults.check)) onPin(typed)
      })}
    >
      <DigitsField
        label={words.till.pin}
        hint={words.till.pinHint}
        error={faults.of('pin')}
        length={lockPinLength}
        value={typed}
        onDigits={setTyped}
      />
      <div className="acts">
        <Button kind="main" type="submit">
          {selling.store.payBackPin}
        </Button>
      </div>
    </form>
  )
}

type ConfirmPayBackProps = PayBackDialogProps & {
  readonly offer: CashBackOffer
  readonly lockPin: string
  /** The voucher was used since the offer. */
  readonly onChanged: () => void
}

function ConfirmPayBack({ voucher, offer, lockPin, onDone, onChanged, onClose }: ConfirmPayBackProps) {
  const { value, price, currency } = offer
  const { register } = useRegister()
  const [tender, setTender] = useState<Tender>('cash')
  const { state, done, refusal, start, forget } = useAct<SoldVoucher>()
  const isBusy = state !== 'idle' || done !== null
  const finish = (answer: Answer<SoldVoucher>): void => {
    if ('data' in answer) onDone(answer.data)
    else if (answer.refusal.code === 'CASH_BACK_CHANGED') onChanged()
  }
  const submit = onSubmit(() => {
    if (isBusy) return
    const body = {
      ...{ voucherCode: voucher.code, tender },
      ...(lockPin !== '' && { lockPin }),
      ...(register !== undefined && { registerId: register.id }),
    }
    start((referenceId) => act(path, { ...body, referenceId }), finish)
  })
  const choose = (next: Tender) => {
    forget()
    setTender(next)
  }
  return (
    <form className="fields" noValidate onSubmit={submit}>
      <Facts
        kind="sum"
        rows={[
          [selling.store.left, <Money key="left" value={value} code={currency} />],
          [selling.store.paid, <Money key="paid" value={price} code={currency} />],
        ]}
      />
      <TenderChoice label={selling.store.tender} options={paybackTenders} tender={tender} onChoose={choose} />
      {tender === 'cash' && <CashNotice currency={currency} />}
      <Checking state={state} words={words.checking} />
      <SaleRefusal refusal={isBusy ? null : refusal} />
      <div className="acts">
        <Button kind="danger" type="submit" aria-disabled={isBusy}>
          {isBusy ? words.oneMoment : selling.store.payBackAct(formatMoney(price, currency))}
        </Button>
        <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          {words.close}
        </Button>
      </div>
    </form>
  )
}
