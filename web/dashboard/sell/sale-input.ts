import { readDecimal } from '../../ui/numbers.ts'
import type { Card } from '../parts/code-form.tsx'
import type { Faults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { isAmount } from './amounts.ts'
import { bodyOfPayment, faultsOfPayment, noPayment, type PaymentInput } from './payment.ts'

export const lockPinLength = 4

/** A sale, as it was typed. */
export type SaleInput = {
  readonly amount: string
  readonly currency: string
  readonly payment: PaymentInput
  readonly delivery: 'hand' | 'email'
  readonly email: string
  readonly sender: string
  readonly message: string
  /** A day, or empty. Undefined while a part of it is missing, as for `expiresAt`. */
  readonly sendOn: string | undefined
  readonly lockPin: string
  readonly expiresAt: string | undefined
}

export function emptySale(currency: string): SaleInput {
  return {
    amount: '',
    currency,
    payment: noPayment,
    delivery: 'hand',
    email: '',
    sender: '',
    message: '',
    sendOn: '',
    lockPin: '',
    expiresAt: '',
  }
}

export function faultsOfSale(input: SaleInput): Faults {
  const { payment, delivery, email, sendOn, lockPin, expiresAt } = input
  const amount = readDecimal(input.amount)
  const isGift = delivery === 'email'
  return {
    ...(!isAmount(amount) && { amount: words.refusals.AMOUNT_INVALID }),
    ...(isGift && !/^\S+@\S+\.\S+$/.test(email.trim()) && { email: selling.sell.emailInvalid }),
    ...(isGift && sendOn === undefined && { sendOn: words.refusals.GIFT_DATE_INVALID }),
    ...(lockPin !== '' && lockPin.length !== lockPinLength && { lockPin: words.issue.pinShort }),
    ...(expiresAt === undefined && { expiresAt: words.issue.expiresIncomplete }),
    ...faultsOfPayment(payment, amount),
  }
}

type SaleAt = { readonly registerId: string | undefined; readonly timeZone: string; readonly card: Card | undefined }

/** The fields of the request, without the PIN of the staff member. */
export function bodyOfSale(input: SaleInput, { registerId, timeZone, card }: SaleAt): object {
  const { currency, payment, lockPin, expiresAt = '' } = input
  const amount = readDecimal(input.amount)
  return {
    amount,
    currency,
    ...bodyOfPayment(payment, amount, registerId),
    ...(card !== undefined && { voucherCode: card.code }),
    ...(card === undefined && input.delivery === 'email' && { gift: giftOf(input, timeZone) }),
    ...(lockPin !== '' && { lockPin }),
    ...(expiresAt !== '' && { expiresAt }),
  }
}

function giftOf({ email, sender, message, sendOn = '' }: SaleInput, timeZone: string): object {
  return {
    email: email.trim(),
    ...(sender.trim() !== '' && { sender: sender.trim() }),
    ...(message.trim() !== '' && { message: message.trim() }),
    ...(sendOn !== '' && { sendAt: morningOf(sendOn, timeZone).toISOString() }),
  }
}

/** 8 o'clock on a day in the shop's time zone. */
function morningOf(day: string, timeZone: string): Date {
  const inUtc = new Date(`${day}T08:00:00Z`)
  // The Swedish form of a time is 2026-12-24 09:00:00.
  const shown = new Date(`${inUtc.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`)
  return new Date(2 * inUtc.getTime() - shown.getTime())
}
