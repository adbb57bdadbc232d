import { CircleCheckBig } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Notice } from '../../ui/notice.tsx'
import { formatMoney } from '../shell/shop.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { writeDay } from '../parts/days.ts'
import { IssuedTicket } from '../vouchers/issued-ticket.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { isGivenBack, SaleSlip } from './sale-slip.tsx'
import type { Done } from './sell-form.tsx'
import './sell.css'

type SoldProps = { readonly done: Done; readonly onNext: () => void }

/** The end of a sale: what to hand over, the receipt, and the button for the next customer. */
export function Sold({ done, onNext }: SoldProps): ReactNode {
  const { sold, showsCode } = done
  const acts = useRef<HTMLDivElement>(null)
  useEscape(onNext)
  useEffect(() => {
    // After a dialog that led here has gone: while it is open, nothing behind it can take the focus.
    const frame = requestAnimationFrame(() => acts.current?.querySelector('button')?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div className="receipt">
      <p className="receipt-done" role="status">
        <CircleCheckBig aria-hidden="true" />
        {headingOf(done)}
      </p>
      <NextStep done={done} />
      <div className="acts" ref={acts}>
        <Button kind="main" onClick={onNext}>
          {words.receipt.next}
        </Button>
        <Button onClick={() => print()}>{words.print}</Button>
      </div>
      {showsCode && <IssuedTicket voucher={sold.voucher} />}
      <SaleSlip sale={sold.sale} voucher={sold.voucher} />
    </div>
  )
}

function headingOf({ sold: { sale }, showsCode, gift }: Done): string {
  const isCard = sale.kind === 'sale' && !showsCode && gift === undefined
  return isCard ? selling.sold.activated : selling.sold.done[sale.kind]
}

/** What the cashier gives to the customer, and where a gift goes. */
function NextStep({ done: { sold, change, gift } }: { readonly done: Done }) {
  const { sale } = sold
  const { price, currency, tender } = sale
  return (
    <>
      {change !== '' && !isZero(change) && (
        <p className="sell-give">{selling.sold.changeDue(formatMoney(change, currency))}</p>
      )}
      {isGivenBack(sale) && (
        <p className="sell-give">
          {isZero(price)
            ? selling.store.undoFree
            : selling.sold.giveBack(formatMoney(price, currency), selling.tenders[tender])}
        </p>
      )}
      {gift !== undefined && (
        <Notice kind="done">
          {gift.sendOn === ''
            ? selling.sold.giftNow(gift.email)
            : `${selling.sold.giftOn(gift.email)} ${writeDay(gift.sendOn)}.`}
        </Notice>
      )}
    </>
  )
}
