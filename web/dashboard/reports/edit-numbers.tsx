import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { AccountNumbers } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { onSubmit } from '../parts/use-faults.ts'
import { reporting } from '../words/reporting.ts'
import { describeError, words } from '../words/words.ts'

export const numbersPath = '/merchant/reports/account-numbers'

type EditNumbersProps = {
  readonly accounts: AccountNumbers['accounts']
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Sets the numbers that the shop's own bookkeeping has for the accounts. */
export function EditNumbers({ accounts, onDone, onClose }: EditNumbersProps): ReactNode {
  const [numbers, setNumbers] = useState(accounts)
  const { state, refusal, start, forget } = useAct<object>()
  const isBusy = state !== 'idle'
  const change = (wanted: string, number: string) =>
    setNumbers(numbers.map((each) => (each.account === wanted ? { ...each, number } : each)))
  const save = () => {
    if (isBusy) return
    start(
      () => act(numbersPath, { accounts: numbers }),
      (answer) => 'refusal' in answer || onDone(),
    )
  }
  return (
    <Dialog heading={reporting.export.numbers} isBusy={isBusy} onClose={onClose}>
      <form className="fields" noValidate onChange={forget} onSubmit={onSubmit(save)}>
        {numbers.map(({ account, number }) => (
          <Field
            key={account}
            label={reporting.export.accounts[account]}
            autoComplete="off"
            maxLength={40}
            value={number}
            onChange={(event) => change(account, event.target.value)}
          />
        ))}
        {refusal !== null && !isBusy && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : reporting.export.save}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
