import type { ReactNode } from 'react'
import { nameCurrency } from '../../ui/currency-name.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Ticket } from '../../ui/ticket.tsx'
import type { ShownVoucher } from '../shell/responses.ts'
import { ticketWords } from '../vouchers/issued-ticket.tsx'
import { LastDay } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { describeError, words } from '../words/words.ts'

type TillTicketProps = {
  readonly voucher: ShownVoucher
  readonly onStartOver: () => void
  readonly children: ReactNode
}

/** The voucher, with the form on its stub, or the reason why it cannot be redeemed. */
export function TillTicket({ voucher, onStartOver, children }: TillTicketProps): ReactNode {
  const { balance, amount, generatedCurrency: currency, code, expiresAt } = voucher
  const fault = faultOf(voucher)
  useEscape(() => fault === '' || onStartOver())
  const heading = (
    <>
      {voucher.onchain && <Status of="onchain" names={{ onchain: words.till.onchain }} />}
      {expiresAt !== '' && (
        <p className="soft">
          {words.till.expires} <LastDay at={expiresAt} />
        </p>
      )}
    </>
  )
  return (
    <Ticket
      heading={heading}
      state="open"
      balance={balance}
      amount={amount}
      currency={{
        abbreviation: currency.abbrev,
        name: nameCurrency(currency.abbrev, currency.name),
        symbol: currency.symbol,
      }}
      code={code}
      merchantCode=""
      codeAct={null}
      qr={null}
      words={ticketWords()}
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

/** The reason why the voucher cannot be redeemed, or an empty string. */
function faultOf({ state, isUsed, onchainProcessing }: ShownVoucher): string {
  if (state !== 'open') return describeError({ code: `VOUCHER_${state.toUpperCase()}`, message: state })
  if (onchainProcessing) return words.refusals.VOUCHER_PROCESSING
  return isUsed ? words.refusals.VOUCHER_EMPTY : ''
}
