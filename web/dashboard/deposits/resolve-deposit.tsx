import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { OneDepositCase } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { formatMoney } from '../shell/shop.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'

export type ResolveProps = {
  readonly found: OneDepositCase
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}

export function pathOf({ id }: OneDepositCase, how: 'credit' | 'match' | 'return'): string {
  return `/merchant-integrations-server/deposit-cases/${id}/${how}`
}

/** Money only comes in, so this needs no PIN. */
export function CreditDialog({ found, onClose, onDone }: ResolveProps): ReactNode {
  const { state, refusal, start } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const credit = () =>
    start(async () => {
      const response = await act(pathOf(found, 'credit'), {})
      if (!('refusal' in response)) onDone(money.deposits.creditDone)
      return response
    })
  return (
    <Dialog heading={money.deposits.credit} isBusy={isBusy} onClose={onClose}>
      <p>{money.deposits.creditLead(formatMoney(found.amount, found.currency))}</p>
      <Checking state={state} words={words.checking} />
      {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" aria-disabled={isBusy} onClick={credit}>
          {isBusy ? words.oneMoment : money.deposits.credit}
        </Button>
        <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          {words.close}
        </Button>
      </div>
    </Dialog>
  )
}

export function MatchDialog({ found, onClose, onDone }: ResolveProps): ReactNode {
  const [reference, setReference] = useState('')
  const { state, refusal, start, forget } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const faults = useFaults(reference.trim() === '' ? { reference: money.deposits.matchMissing } : {})
  const isUnknown = !isBusy && refusal?.code === 'CASE_MATCH_UNKNOWN'
  const match = () =>
    start(async () => {
      const response = await act(pathOf(found, 'match'), { matchReference: reference.trim() })
      if (!('refusal' in response)) onDone(money.deposits.matchDone)
      return response
    })
  return (
    <Dialog heading={money.deposits.match} isBusy={isBusy} onClose={onClose}>
      <p>{money.deposits.matchLead(formatMoney(found.amount, found.currency))}</p>
      <form
        className="fields"
        noValidate
        onChange={forget}
        onSubmit={onSubmit((form) => {
          if (!isBusy && checkForm(form, faults.check)) match()
        })}
      >
        <Field
          label={money.deposits.matchField}
          error={isUnknown ? describeError(refusal) : faults.of('reference')}
          face="code"
          autoComplete="off"
          value={reference}
          disabled={isBusy}
          onChange={(event) => setReference(event.target.value)}
        />
        <Checking state={state} words={words.checking} />
        {!isBusy && refusal !== null && !isUnknown && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : money.deposits.match}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
