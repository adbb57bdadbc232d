import { type SubmitEvent, useEffect, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { addDecimals, groupDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Batch, PendingOutflow } from './responses.ts'
import { act, useAct } from './request-dashboard.ts'
import { Screen } from './frame.tsx'
import { isPending, PendingScreen } from './pending.tsx'
import { go } from './place.ts'
import { formatMoney } from './shop.tsx'
import { usePin } from './use-pin.tsx'
import { useTerms } from './use-terms.tsx'
import { describeError, words } from './words.ts'

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
  const isPriced = terms.isAmount && Number.isInteger(size) && size >= 1 && size <= sizeMax
  const isReady = isPriced && pin.isReady
  const isBusy = state !== 'idle'
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isReady) return
    const body = { ...terms.input, size, pin: pin.take() }
    start((referenceId) => act('/merchant-integrations-server/voucher-batches', { ...body, referenceId }))
  }
  if (done !== null && isPending(done)) return <PendingScreen pending={done} kind="batch" />
  return (
    <Screen heading={words.many.heading} back="/vouchers">
      <p className="soft">{words.many.lead}</p>
      <form className="fields" noValidate onSubmit={submit}>
        <Field
          label={words.many.size}
          hint={words.many.sizeHint}
          inputMode="numeric"
          autoComplete="off"
          maxLength={5}
          value={typed}
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
          <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
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
