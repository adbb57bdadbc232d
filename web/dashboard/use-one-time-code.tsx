import { useState } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Act } from '../ui/use-act.ts'
import { useShop } from './shop.tsx'
import type { Confirmation } from './use-pin.tsx'
import { describeError, words } from './words.ts'

const codeLength = 6
const aboutCode = new Set(['SECOND_FACTOR_MISSING', 'SECOND_FACTOR_NOT_SET', 'ONE_TIME_CODE_WRONG'])

/** The one-time code that confirms a change of live limits. Refusals of the code are shown at its field. */
export function useOneTimeCode({ state, refusal }: Pick<Act<unknown>, 'state' | 'refusal'>): Confirmation {
  const { person } = useShop()
  const [code, setCode] = useState('')
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const isRefused = shown !== null && aboutCode.has(shown.code)
  const field = person.hasTwoFactor ? (
    <Field
      key={isRefused ? 'refused' : 'first'}
      autoFocus={isRefused}
      label={words.confirm.code}
      hint={words.confirm.codeHint}
      error={isRefused ? describeError(shown) : ''}
      face="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={codeLength}
      value={code}
      disabled={isBusy}
      onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
    />
  ) : (
    <Notice>{words.confirm.noApp}</Notice>
  )
  const take = (): string => {
    setCode('')
    return code
  }
  return { field, isReady: code.length === codeLength, take, otherRefusal: isRefused ? null : shown }
}
