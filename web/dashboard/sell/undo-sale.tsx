import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Field } from '../../ui/field.tsx'
import type { SoldVoucher, VoucherSale } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { formatMoney } from '../shell/shop.tsx'
import { onSubmit } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { CashNotice, SaleRefusal } from './cash-notice.tsx'
import { useRegister } from './register.ts'

type UndoDialogProps = {
  readonly sale: VoucherSale
  /** The voucher that the customer returns. Owners and accountants do not need it. */
  readonly voucherCode?: string
  readonly onDone: (sold: SoldVoucher) => void
  readonly onClose: () => void
}

/** Undoes a sale or a reload of which nothing was spent. */
export function UndoDialog({ sale, voucherCode, onDone, onClose }: UndoDialogProps): ReactNode {
  const { id, kind, price, value, currency, tender } = sale
  const { register } = useRegister()
  const [reason, setReason] = useState('')
  const { state, done, refusal, start, forget } = useAct<SoldVoucher>()
  const isBusy = state !== 'idle' || done !== null
  const isReload = kind === 'reload'
  const submit = onSubmit(() => {
    if (isBusy) return
    const body = {
      ...(voucherCode !== undefined && { voucherCode }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      ...(register !== undefined && { registerId: register.id }),
    }
    start(
      (referenceId) => act(`/merchant-integrations-server/voucher-sales/${id}/void`, { ...body, referenceId }),
      (answer) => 'data' in answer && onDone(answer.data),
    )
  })
  const heading = isReload ? selling.store.undoReloadHeading : selling.store.undoHeading
  return (
    <Dialog heading={heading(formatMoney(value, currency))} isBusy={isBusy} onClose={onClose}>
      <p>
        {isZero(price)
          ? selling.store.undoFree
          : selling.sold.giveBack(formatMoney(price, currency), selling.tenders[tender])}{' '}
        {isReload ? selling.store.undoReloadLead : selling.store.undoLead}
      </p>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        {tender === 'cash' && <CashNotice currency={currency} />}
        <Field
          label={selling.store.reason}
          hint={selling.sell.optional}
          autoComplete="off"
          maxLength={500}
          value={reason}
          disabled={isBusy}
          onChange={(event) => setReason(event.target.value)}
        />
        <Checking state={state} words={words.checking} />
        <SaleRefusal refusal={isBusy ? null : refusal} />
        <div className="acts">
          <Button kind="danger" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : isReload ? selling.store.undoReload : selling.store.undo}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
