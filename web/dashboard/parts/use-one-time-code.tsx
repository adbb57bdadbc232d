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

/** The one-time code that confirms a change of live limits. Refusals of the code are shown at its field. */
export function useOneTimeCode({ state, refusal }: Pick<Act<unknown>, 'state' | 'refusal'>): Confirmation {
  const { person } = useShop()
  const [code, setCode] = useState('')
  const { isMarked, check } = useMark(code.length === codeLength)
  const isBusy = state !== 'idle'
  const shown = isBusy ? null : refusal
  const isRefused = shown !== null && aboutCode.has(shown.code)
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
    <Notice>{words.confirm.noApp}</Notice>
  )
  const take = (): string => {
    setCode('')
    return code
  }
  return { field, check, take, otherRefusal: isRefused ? null : shown }
}
