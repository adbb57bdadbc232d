import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Ticket } from '../ui/ticket.tsx'
import type { ShownVoucher } from './answers.ts'
import { LastDay } from './shop.tsx'
import { useEscape } from './use-escape.ts'
import { sayRefusal, words } from './words.ts'

type TillTicketProps = {
  readonly voucher: ShownVoucher
  readonly onStartOver: () => void
  readonly children: ReactNode
}

/** The voucher, with what is done about it on its stub. One that cannot be redeemed says why. */
export function TillTicket({ voucher, onStartOver, children }: TillTicketProps) {
  const { balance, amount, generatedCurrency: currency, code, expiresAt } = voucher
  const fault = faultOf(voucher)
  useEscape(() => fault === '' || onStartOver())
  const heading = expiresAt !== '' && (
    <p className="soft">
      {words.till.until} <LastDay at={expiresAt} />
    </p>
  )
  return (
    <Ticket
      heading={heading}
      state="open"
      balance={balance}
      amount={amount}
      currency={{ abbreviation: currency.abbrev, name: currency.name, symbol: currency.symbol }}
      code={code}
      merchantCode=""
      codeAct={null}
      qr={null}
      act={
        fault === '' ? (
          <div className="till-stub">{children}</div>
        ) : (
          <div className="till-stub">
            <Notice kind="error">{fault}</Notice>
            <Button kind="main" autoFocus onClick={onStartOver}>
              {words.till.startOver}
            </Button>
          </div>
        )
      }
    />
  )
}

/** Why it cannot be redeemed; empty if it can. */
function faultOf({ state, isUsed }: ShownVoucher): string {
  if (state !== 'open') return sayRefusal({ code: `VOUCHER_${state.toUpperCase()}`, message: state })
  return isUsed ? words.refusals.VOUCHER_EMPTY : ''
}
