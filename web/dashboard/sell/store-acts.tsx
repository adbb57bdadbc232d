import { Banknote, Plus, Undo2 } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { isZero } from '../../ui/decimal.ts'
import type { ShownVoucher, SoldVoucher, StoreVoucher, VoucherSale } from '../shell/responses.ts'
import { act } from '../shell/request-dashboard.ts'
import { storeVoucherPath } from '../parts/code-form.tsx'
import { selling } from '../words/selling.ts'
import { PayBackDialog } from './pay-back.tsx'
import { ReloadDialog } from './reload.tsx'
import './sell.css'
import type { Done } from './sell-form.tsx'
import { UndoDialog } from './undo-sale.tsx'

type StoreActsProps = { readonly voucher: ShownVoucher; readonly onDone: (done: Done) => void }

/** Besides redeeming: what the till can do with a voucher that the shop has sold. */
export function StoreActs({ voucher, onDone }: StoreActsProps): ReactNode {
  const [chosen, setChosen] = useState<'reload' | 'undo' | 'payBack' | null>(null)
  const undoable = useUndoable(voucher.code)
  const close = () => setChosen(null)
  const finish = (sold: SoldVoucher, change = '') => onDone({ sold, showsCode: false, change })
  return (
    <section className="section" aria-label={selling.store.acts}>
      <div className="acts">
        <Button onClick={() => setChosen('reload')}>
          <Plus aria-hidden="true" />
          {selling.store.reload}
        </Button>
        {undoable !== null && (
          <Button kind="danger-quiet" onClick={() => setChosen('undo')}>
            <Undo2 aria-hidden="true" />
            {undoable.kind === 'reload' ? selling.store.undoReload : selling.store.undo}
          </Button>
        )}
        {!isZero(voucher.balance) && (
          <Button kind="danger-quiet" onClick={() => setChosen('payBack')}>
            <Banknote aria-hidden="true" />
            {selling.store.payBack}
          </Button>
        )}
      </div>
      {chosen === 'reload' && <ReloadDialog voucher={voucher} onDone={finish} onClose={close} />}
      {chosen === 'undo' && undoable !== null && (
        <UndoDialog sale={undoable} voucherCode={voucher.code} onDone={finish} onClose={close} />
      )}
      {chosen === 'payBack' && <PayBackDialog voucher={voucher} onDone={finish} onClose={close} />}
    </section>
  )
}

/** The sale or the reload of the voucher that can be undone now. */
function useUndoable(voucherCode: string): VoucherSale | null {
  const [undoable, setUndoable] = useState<VoucherSale | null>(null)
  useEffect(() => {
    let isShown = true
    void act<StoreVoucher>(storeVoucherPath, { voucherCode }).then((answer) => {
      if (isShown && 'data' in answer) setUndoable(answer.data.undoable)
    })
    return () => {
      isShown = false
    }
  }, [voucherCode])
  return undoable
}
