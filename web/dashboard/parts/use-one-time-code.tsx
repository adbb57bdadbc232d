import { useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Act } from '../../ui/use-act.ts'
import { useMark } from '../../ui/use-mark.ts'
import { useShop } from '../shell/shop.tsx'
import { type Confirmation, useRefusals } from './use-pin.tsx'
import { describeError, words } from '../words/words.ts'

const codeLength = 6
const aboutCode = new Set(['SECOND_FACTOR_MISSING', 'SECOND_FACTOR_NOT_SET', 'ONE_TIME_CODE_WRONG'])

/** The code as a request has it: nothing when a passkey confirms instead. */
export function codeFieldOf(code: string): { readonly oneTimeCode?: string } {
  return code === '' ? {} : { oneTimeCode: code }
}

/**
 * The one-time code that confirms a change of live limits or of the team. Refusals of the code are shown at its field. For a staff
 * member without an app, who signed in with a passkey, the server takes a sign-in within the last minutes.
 */
export function useOneTimeCode({ state, refusal }: Pick<Act<unknown>, 'state' | 'refusal'>): Confirmation {
  const { person } = useShop()
  const [code, setCode] = useState('')
  const { isMarked, check } = useMark(code.length === codeLength)
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const byPasskey = !person.hasTwoFactor && person.hasSecondFactor
  const isRefused = shown !== null && !byPasskey && aboutCode.has(shown.code)
  const refusals = useRefusals(isRefused)
  const field = person.hasTwoFactor ? (
    <Field
      key={refusals}
      autoFocus={refusals > 0}
      label={words.confirm.code}
      hint={words.confirm.codeHint}
      error={isMarked ? words.confirm.codeMissing : isRefused ? describeError(shown) : ''}
      face="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={codeLength}
      value={code}
      disabled={isBusy}
      onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
    />
  ) : (
    <Notice>{byPasskey ? words.confirm.byPasskey : words.confirm.noApp}</Notice>
  )
  const take = (): string => {
    setCode('')
    return code
  }
  return { field, check: () => byPasskey || check(), take, otherRefusal: isRefused ? null : shown }
}
