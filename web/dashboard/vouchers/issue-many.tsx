import { type SubmitEvent, useEffect, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { addDecimals } from '../../ui/decimal.ts'
import { groupDecimal } from '../../ui/numbers.ts'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { Batch, PendingOutflow } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { isPending, PendingScreen } from '../approvals/pending.tsx'
import { go } from '../shell/place.ts'
import { formatMoney } from '../shell/shop.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { useTerms } from './use-terms.tsx'
import { describeError, words } from '../words/words.ts'

const sizeMax = 10_000

export function IssueMany(): ReactNode {
  const terms = useTerms(words.many.each)
  const [typed, setTyped] = useState('')
  const issuing = useAct<Batch | PendingOutflow>()
  const { state, done, start } = issuing
  const pin = usePin(issuing)
  useEffect(() => {
    if (done !== null && !isPending(done)) go(`/vouchers/batches/${done.id}`, 'replace')
  }, [done])
  const size = Number(typed)
  const isSize = Number.isInteger(size) && size >= 1 && size <= sizeMax
  const isPriced = terms.isAmount && isSize
  const sizeMark = useMark(isSize)
  const isBusy = state !== 'idle'
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (![sizeMark.check(), terms.check(), pin.check()].every(Boolean)) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = { ...terms.input, size, pin: pin.take() }
    start((referenceId) => act('/merchant-integrations-server/voucher-batches', { ...body, referenceId }))
  }
  if (done !== null && isPending(done)) return <PendingScreen pending={done} kind="batch" />
  return (
    <Screen heading={words.many.heading} back="/vouchers">
      <p className="soft">{words.many.lead}</p>
      <form className="fields" noValidate onChange={issuing.forget} onSubmit={submit}>
        <Field
          label={words.many.size}
          hint={words.many.sizeHint}
          inputMode="numeric"
          autoComplete="off"
          maxLength={5}
          value={typed}
          error={sizeMark.isMarked ? words.many.sizeMissing : ''}
          disabled={isBusy}
          onChange={(event) => setTyped(event.target.value.replaceAll(/\D/g, ''))}
        />
        {terms.fields}
        {isPriced && (
          <p>
            {words.many.total}
            {words.colon} <strong>{formatMoney(multiply(terms.input.amount, size), terms.input.currency)}</strong>
          </p>
        )}
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : isPriced ? words.many.act(size, groupDecimal(typed)) : words.issue.actEmpty}
          </Button>
        </div>
      </form>
    </Screen>
  )
}

/** The amount multiplied by the count, in exact decimals. */
function multiply(amount: string, count: number): string {
  if (count <= 1) return amount
  const half = multiply(amount, Math.floor(count / 2))
  return addDecimals(count % 2 === 0 ? [half, half] : [half, half, amount])
}
