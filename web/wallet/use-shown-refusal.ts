import { useState } from 'react'
import type { Refusal } from '../ui/send-request.ts'

/** A refusal, until the user changes the input that it is about: the second value hides it. */
export function useShownRefusal(refusal: Refusal | null): readonly [Refusal | null, () => void] {
  const [hidden, setHidden] = useState<Refusal | null>(null)
  return [refusal === hidden ? null : refusal, () => setHidden(refusal)]
}

type DetailedRefusal = Refusal & { readonly param?: string }

/** The field of the request that the server names in a refusal. */
export function paramOf(refusal: DetailedRefusal): string {
  return refusal.param ?? ''
}

const amountCodes = /^(AMOUNT_\w+|WALLET_TOO_LOW|WALLET_LIMIT|EXCHANGE_DAILY_LIMIT|EXCHANGE_LIMIT_REACHED)$/

/** Whether another amount is the way out. */
export function isAboutAmount(refusal: Refusal): boolean {
  return amountCodes.test(refusal.code) || (refusal.code === 'FIELD_INVALID' && paramOf(refusal) === 'amount')
}

const pinCodes = /^(PIN_WRONG|PIN_LOCKED|PIN_FROZEN|PIN_TOO_COMMON|CONFIRMATION_MISSING)$/

export function isAboutPin(refusal: Refusal): boolean {
  return pinCodes.test(refusal.code) || (refusal.code === 'FIELD_INVALID' && paramOf(refusal) === 'pin')
}
