import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { nameCurrency } from '../../ui/currency-name.ts'
import { Button } from '../../ui/button.tsx'
import { subtractDecimal } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TicketHead } from '../../ui/ticket-head.tsx'
import { Ticket } from '../../ui/ticket.tsx'
import type { Quote, ShownVoucher } from '../shell/responses.ts'
import { ticketWords } from '../vouchers/issued-ticket.tsx'
import { LastDay, Money } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { useEscape } from '../parts/use-escape.ts'
import { describeError, words } from '../words/words.ts'

type TillTicketProps = {
  readonly voucher: ShownVoucher
  /** The price of the sale, once it is known. */
  readonly quote?: Quote
  /** What else can be done with the voucher. */
  readonly acts?: ReactNode
  readonly onStartOver: () => void
  /** The form of the step. */
  readonly children: ReactNode
}

/** The voucher, and beside it the form of the step, or the reason why it cannot be redeemed. */
export function TillTicket({ voucher, quote, acts, onStartOver, children }: TillTicketProps): ReactNode {
  const fault = faultOf(voucher)
  useEscape(() => fault === '' || onStartOver())
  return (
    <div className="till">
      <div className="till-voucher">
        <Button kind="bare" onClick={onStartOver}>
          <ArrowLeft aria-hidden="true" />
          {words.till.startOver}
        </Button>
        <VoucherTicket voucher={voucher} quote={quote} />
        {acts}
      </div>
      <div className="till-panel">
        {fault === '' ? (
          children
        ) : (
          <>
            <Notice kind="error">{fault}</Notice>
            <Button kind="main" size="l" isWide autoFocus onClick={onStartOver}>
              {words.till.startOver}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

type VoucherTicketProps = { readonly voucher: ShownVoucher; readonly quote: Quote | undefined }

function VoucherTicket({ voucher, quote }: VoucherTicketProps) {
  const { balance, amount, generatedCurrency: currency, code, expiresAt } = voucher
  const shown = {
    abbreviation: currency.abbrev,
    name: nameCurrency(currency.abbrev, currency.name),
    symbol: currency.symbol,
  }
  const expires = expiresAt === '' ? words.vouchers.never : <LastDay key="expires" at={expiresAt} />
  const after =
    quote === undefined ? null : (
      <div className="till-after">
        <p className="ticket-label">{words.till.remaining}</p>
        <Money value={subtractDecimal(balance, quote.totalDeductable)} code={currency.abbrev} />
      </div>
    )
  return (
    <Ticket
      shape="tall"
      head={<TicketHead title={<p>{words.payments.voucherTail(code.slice(-4))}</p>} label={shown.name} />}
      heading={voucher.onchain && <Status of="onchain" names={{ onchain: words.till.onchain }} />}
      state="open"
      balance={balance}
      amount={amount}
      {...(quote !== undefined && { going: quote.totalDeductable })}
      after={after}
      currency={shown}
      code={code}
      merchantCode=""
      codeAct={null}
      qr={null}
      words={ticketWords()}
      act={<Facts kind="plain" rows={[[words.vouchers.expires, expires]]} />}
    />
  )
}

/** The reason why the voucher cannot be redeemed, or an empty string. */
function faultOf({ state, isUsed, onchainProcessing }: ShownVoucher): string {
  if (state !== 'open') return describeError({ code: `VOUCHER_${state.toUpperCase()}`, message: state })
  if (onchainProcessing) return words.refusals.VOUCHER_PROCESSING
  return isUsed ? words.refusals.VOUCHER_EMPTY : ''
}
