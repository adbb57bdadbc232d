import type { ReactNode } from 'react'
import { isZero, subtractDecimal } from '../../ui/decimal.ts'
import { Button } from '../../ui/button.tsx'
import { Card as Sheet } from '../../ui/card.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Facts } from '../../ui/facts.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import type { Refusal } from '../../ui/send-request.ts'
import type { Act } from '../../ui/use-act.ts'
import { coloursOf, TicketHead } from '../../ui/ticket-head.tsx'
import { TicketPaper } from '../../ui/ticket-paper.tsx'
import type { Brand } from '../shell/responses.ts'
import { brandPath, usePeek } from '../shell/request-dashboard.ts'
import { formatMoney, Money, useShop } from '../shell/shop.tsx'
import type { Card } from '../parts/code-form.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { isAmountOrZero, isLess } from './amounts.ts'
import { SaleRefusal } from './cash-notice.tsx'
import { priceOf } from './payment.ts'
import type { SaleInput } from './sale-input.ts'

type SellSummaryProps = {
  readonly input: SaleInput
  readonly card: Card | undefined
  readonly state: Act<unknown>['state']
  readonly refusal: Refusal | null
  /** The PIN of the staff member, who confirms what is given away. */
  readonly pinField: ReactNode
}

/** The voucher as the customer gets it, what it costs, and the button that sells it. */
export function SellSummary(props: SellSummaryProps): ReactNode {
  const { input, card, state, refusal, pinField } = props
  const { currency, payment } = input
  const value = amountOrZero(readDecimal(input.amount))
  const price = amountOrZero(priceOf(payment, value))
  const isBusy = state !== 'idle'
  return (
    <aside className="sell-side" aria-label={selling.sell.summary}>
      <Preview input={input} value={value} />
      <Sheet>
        <div className="sell-sum">
          <Sum value={value} price={price} input={input} />
          {pinField !== null && (
            <>
              <p className="soft">{selling.sell.confirmLead}</p>
              {pinField}
            </>
          )}
          <Checking state={state} words={words.checking} />
          <SaleRefusal refusal={refusal} />
          <div className="sell-main">
            <Button
              kind="main"
              size="l"
              isWide
              type="submit"
              aria-disabled={isBusy}
              // An Enter key held down since the field before must not sell.
              onKeyDown={(event) => {
                if (event.repeat) event.preventDefault()
              }}
            >
              {state === 'checking'
                ? words.checking.checking
                : isBusy
                  ? words.oneMoment
                  : labelOf(value, price, input, card)}
            </Button>
          </div>
          {!isZero(value) && <p className="sell-liability">{selling.sell.liability(formatMoney(value, currency))}</p>}
        </div>
      </Sheet>
    </aside>
  )
}

function amountOrZero(decimal: string): string {
  return isAmountOrZero(decimal) ? decimal : '0'
}

function labelOf(value: string, price: string, { currency, payment }: SaleInput, card: Card | undefined): string {
  if (isZero(value)) return selling.sell.actEmpty
  if (payment.tender === 'free') return selling.sell.actFree(formatMoney(value, currency))
  const money = formatMoney(price, currency)
  return card === undefined ? selling.sell.act(money) : selling.sell.actCard(money)
}

type SumProps = { readonly value: string; readonly price: string; readonly input: SaleInput }

function Sum({ value, price, input: { currency, payment } }: SumProps) {
  const isLower = isLess(price, value)
  const pays = payment.tender === 'free' ? selling.sell.paysNothing : selling.sell.pays(selling.tenders[payment.tender])
  return (
    <Facts
      kind="sum"
      rows={[
        [selling.sell.value, <Money key="value" value={value} code={currency} />],
        ...(isLower
          ? [
              [
                selling.sell.discount,
                <Money key="discount" value={subtractDecimal(value, price)} code={currency} sign="−" />,
              ] as const,
            ]
          : []),
        [pays, <Money key="price" value={price} code={currency} />],
      ]}
    />
  )
}

function Preview({ input, value }: { readonly input: SaleInput; readonly value: string }) {
  const { merchant } = useShop()
  const { data: brand } = usePeek<Brand>(brandPath)
  const { currency, delivery, email, sender, message } = input
  const isGift = delivery === 'email'
  const head = <TicketHead title={<p>{merchant.name}</p>} label={selling.sell.ticket} logo={brand?.logoUrl ?? ''} />
  const body = (
    <div className="sell-preview">
      {isGift && email.trim() !== '' && <p className="soft">{email.trim()}</p>}
      <div className="ticket-amount">
        <Money value={value} code={currency} size="large" />
      </div>
      {isGift && message.trim() !== '' && <p className="sell-message">“{message.trim()}”</p>}
      {isGift && sender.trim() !== '' && <p className="soft">{sender.trim()}</p>}
    </div>
  )
  return (
    <div className="sell-ticket" aria-hidden="true">
      <TicketPaper
        shape="tall"
        colours={coloursOf(brand?.accent ?? '')}
        head={head}
        body={body}
        stub={<p className="soft">{selling.sell.noCode}</p>}
      />
    </div>
  )
}
