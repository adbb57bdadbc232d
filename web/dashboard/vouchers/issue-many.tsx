import { type SubmitEvent, useEffect, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { addDecimals } from '../../ui/decimal.ts'
import { groupDecimal } from '../../ui/numbers.ts'
import { focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useMark } from '../../ui/use-mark.ts'
import type { Batch, PendingOutflow } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { isPending, PendingScreen } from '../approvals/pending.tsx'
import { go } from '../shell/place.ts'
import { formatMoney } from '../shell/shop.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { MakeCards } from './make-cards.tsx'
import { SizeField, isSize } from './size-field.tsx'
import { useTerms } from './use-terms.tsx'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'

/** Vouchers that are paid from the balance, or cards that are sold later. */
export function IssueMany(): ReactNode {
  const [mode, setMode] = useState<'vouchers' | 'cards'>('vouchers')
  return (
    <Screen heading={words.many.heading} back="/vouchers">
      <div>
        <Segmented
          label={selling.cards.kind}
          value={mode}
          options={[
            ['vouchers', selling.cards.modes.vouchers],
            ['cards', selling.cards.modes.cards],
          ]}
          onChoose={setMode}
        />
      </div>
      {mode === 'vouchers' ? <IssueVouchers /> : <MakeCards />}
    </Screen>
  )
}

function IssueVouchers() {
  const terms = useTerms(words.many.each)
  const [typed, setTyped] = useState('')
  const issuing = useAct<Batch | PendingOutflow>()
  const { state, done, start } = issuing
  const pin = usePin(issuing)
  useEffect(() => {
    if (done !== null && !isPending(done)) go(`/vouchers/batches/${done.id}`, 'replace')
  }, [done])
  const size = Number(typed)
  const isPriced = terms.isAmount && isSize(size)
  const sizeMark = useMark(isSize(size))
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
    <>
      <p className="soft">{words.many.lead}</p>
      <form className="fields" noValidate onChange={issuing.forget} onSubmit={submit}>
        <SizeField
          value={typed}
          error={sizeMark.isMarked ? words.many.sizeMissing : ''}
          disabled={isBusy}
          onSize={setTyped}
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
    </>
  )
}

/** The amount multiplied by the count, in exact decimals. */
function multiply(amount: string, count: number): string {
  if (count <= 1) return amount
  const half = multiply(amount, Math.floor(count / 2))
  return addDecimals(count % 2 === 0 ? [half, half] : [half, half, amount])
}
