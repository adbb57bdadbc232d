import type { Act } from '../../ui/use-act.ts'
import { place } from '../shell/place.ts'
import { useOneTimeCode } from './use-one-time-code.tsx'
import { type Confirmation, usePin } from './use-pin.tsx'

export type ConfirmedBy = { readonly pin: string } | { readonly oneTimeCode: string }

/** Confirms with the PIN in test mode, and with a one-time code in live mode. `take` returns the fields of the request. */
export function useConfirmation(
  acting: Pick<Act<unknown>, 'state' | 'refusal'>,
): Omit<Confirmation, 'take'> & { readonly take: () => ConfirmedBy } {
  const pin = usePin(acting)
  const oneTimeCode = useOneTimeCode(acting)
  const isTest = place?.mode === 'test'
  const take = (): ConfirmedBy => (isTest ? { pin: pin.take() } : { oneTimeCode: oneTimeCode.take() })
  return { ...(isTest ? pin : oneTimeCode), take }
}
