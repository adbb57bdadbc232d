import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { readDecimal } from '../../ui/numbers.ts'
import type { SoldVoucher } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { useShop } from '../shell/shop.tsx'
import type { Card } from '../parts/code-form.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { isAmount } from './amounts.ts'
import { isGivenAway, priceOf } from './payment.ts'
import { changeOf } from './payment-fields.tsx'
import { useRegister } from './register.ts'
import { bodyOfSale, emptySale, faultsOfSale, type SaleInput } from './sale-input.ts'
import { SellSteps } from './sell-steps.tsx'
import { SellSummary } from './sell-summary.tsx'

/** A sale and what the cashier does next. */
export type Done = {
  readonly sold: SoldVoucher
  /** Of a card that was activated, or of a voucher that stays with its holder, the code is not shown. */
  readonly showsCode: boolean
  /** Cash to give back, or empty. */
  readonly change: string
  /** Who gets a gift by email, and on which day if not now. */
  readonly gift?: { readonly email: string; readonly sendOn: string }
}

type SellFormProps = {
  readonly card?: Card | undefined
  readonly onSold: (done: Done) => void
  readonly onOtherCard?: (() => void) | undefined
}

/** Sells a new voucher, or a card of a batch. */
export function SellForm({ card, onSold, onOtherCard }: SellFormProps): ReactNode {
  const { input, change, submit, faults, selling, pin } = useSale(card, onSold)
  const amount = readDecimal(input.amount)
  /** Enter in a field goes on to the button, which names the amount, so that a sale takes a second Enter. */
  const goOn = (event: KeyboardEvent<HTMLFormElement>) => {
    const form = event.currentTarget
    const isField = event.target instanceof HTMLInputElement && form.contains(event.target)
    if (event.key !== 'Enter' || !isField) return
    event.preventDefault()
    if (checkForm(form, faults.check)) form.querySelector<HTMLElement>('button[type=submit]')?.focus()
  }
  return (
    <form className="sell" noValidate onChange={selling.forget} onKeyDown={goOn} onSubmit={submit}>
      <SellSteps input={input} card={card} faults={faults} onChange={change} onOtherCard={onOtherCard} />
      <SellSummary
        input={input}
        card={card}
        state={selling.state}
        refusal={pin.otherRefusal}
        pinField={isGivenAway(input.payment, amount) ? pin.field : null}
      />
    </form>
  )
}

function useSale(card: Card | undefined, onSold: (done: Done) => void) {
  const { merchant } = useShop()
  const { register } = useRegister()
  const [input, setInput] = useState<SaleInput>(() => startOf(card, merchant.homeCurrency))
  const selling = useAct<SoldVoucher>()
  const pin = usePin(selling)
  const faults = useFaults(faultsOfSale(input))
  const amount = readDecimal(input.amount)
  const isBusy = selling.state !== 'idle' || selling.done !== null
  const change = (changes: Partial<SaleInput>) => {
    // Buttons change the input too, without an event of a field.
    selling.forget()
    setInput({ ...input, ...changes })
  }
  const submit = onSubmit((form) => {
    const isConfirmed = isGivenAway(input.payment, amount)
    if (isBusy || !checkForm(form, faults.check, isConfirmed ? pin.check : () => true)) return
    const at = { registerId: register?.id, timeZone: merchant.timeZone, card }
    const body = { ...bodyOfSale(input, at), ...(isConfirmed && { pin: pin.take() }) }
    selling.start(
      (referenceId) => act('/merchant-integrations-server/voucher-sales', { ...body, referenceId }),
      (answer) => 'data' in answer && onSold(doneOf(answer.data, input, card)),
    )
  })
  return { input, change, submit, faults, selling, pin }
}

/** A card with a printed amount is sold with that, in its currency. */
function startOf(card: Card | undefined, homeCurrency: string): SaleInput {
  if (card === undefined) return emptySale(homeCurrency)
  const { amount, generatedCurrency } = card.voucher
  return { ...emptySale(generatedCurrency.abbrev), ...(isAmount(amount) && { amount }) }
}

function doneOf(sold: SoldVoucher, { payment, delivery, email, sendOn = '', amount }: SaleInput, card?: Card): Done {
  const isGift = card === undefined && delivery === 'email'
  const received = payment.tender === 'cash' ? readDecimal(payment.received) : ''
  return {
    sold,
    showsCode: card === undefined && !isGift,
    change: changeOf(received, priceOf(payment, readDecimal(amount))),
    ...(isGift && { gift: { email: email.trim(), sendOn } }),
  }
}
