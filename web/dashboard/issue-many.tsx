import { type SubmitEvent, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { addDecimals, groupDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Batch } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { go } from './place.ts'
import { sayMoney } from './shop.tsx'
import { useTerms } from './use-terms.tsx'
import { sayRefusal, words } from './words.ts'

const sizeMax = 10_000

export function IssueMany() {
  const terms = useTerms(words.many.each)
  const [typed, setTyped] = useState('')
  const { state, done, refusal, start } = useAct<Batch>()
  useEffect(() => {
    if (done !== null) go(`/vouchers/batches/${done.id}`, 'replace')
  }, [done])
  const size = Number(typed)
  const isReady = terms.isAmount && Number.isInteger(size) && size >= 1 && size <= sizeMax
  const isBusy = state !== 'idle'
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isReady) return
    start((referenceId) => act('/merchant-integrations-server/voucher-batches', { ...terms.asked, size, referenceId }))
  }
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
        {isReady && (
          <p>
            {words.many.together}: <strong>{sayMoney(times(terms.asked.amount, size), terms.asked.currency)}</strong>
          </p>
        )}
        <Checking state={state} words={words.checking} />
        {!isBusy && refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
            {isBusy ? words.oneMoment : isReady ? words.many.act(groupDecimal(typed)) : words.issue.actEmpty}
          </Button>
        </div>
      </form>
    </Screen>
  )
}

/** By doubling, in whole digits. */
function times(amount: string, count: number): string {
  if (count <= 1) return amount
  const half = times(amount, Math.floor(count / 2))
  return addDecimals(count % 2 === 0 ? [half, half] : [half, half, amount])
}
