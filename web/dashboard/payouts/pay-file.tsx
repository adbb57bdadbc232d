import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Act } from '../../ui/use-act.ts'
import { CsvForm } from '../parts/csv-form.tsx'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { checkForm, onSubmit } from '../parts/use-faults.ts'
import { usePin } from '../parts/use-pin.tsx'
import { Screen } from '../shell/frame.tsx'
import { go, Link } from '../shell/place.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import type { CheckedPayouts, PayoutCheck, PendingOutflow } from '../shell/responses.ts'
import { formatMoney, useShop } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { describeError, words } from '../words/words.ts'
import { CheckResult } from './check-result.tsx'

type FileInput = { readonly csv: string; readonly currency: string }

const path = '/merchant-integrations-server/payout-batches'

/** Pays a file of payouts. The file is checked first, and any change of it needs another check. */
export function PayFile(): ReactNode {
  const { merchant } = useShop()
  const [input, setInput] = useState<FileInput>({ csv: '', currency: merchant.homeCurrency })
  const checking = useAct<CheckedPayouts>()
  const paying = useAct<CheckedPayouts | PendingOutflow>()
  const { done } = paying
  const batchId = done === null ? undefined : idOf(done)
  useEffect(() => {
    if (batchId !== undefined) go(`/payouts/files/${batchId}`, 'replace')
  }, [batchId])
  const change = (changes: Partial<FileInput>) => {
    checking.again()
    paying.again()
    setInput((current) => ({ ...current, ...changes }))
  }
  const check = checking.done?.check
  const isBusy = checking.state !== 'idle' || paying.state !== 'idle'
  return (
    <Screen
      heading={money.file.heading}
      back="/payouts"
      acts={
        <Link className="button" data-kind="quiet" to="/payouts/files">
          {money.payouts.files}
        </Link>
      }
    >
      <p className="soft">{money.file.lead}</p>
      <CsvForm
        texts={money.file}
        example={money.file.example}
        csv={input.csv}
        isBusy={isBusy}
        isChecked={check !== undefined}
        refusal={checking.refusal}
        onChange={(csv) => change({ csv })}
        onCheck={() => checking.start(() => act(path, input))}
      >
        <CurrencyChoice value={input.currency} isDisabled={isBusy} onChange={(currency) => change({ currency })} />
      </CsvForm>
      {check !== undefined && (
        <CheckedFile
          check={check}
          paying={paying}
          onPay={(pin) =>
            paying.start((referenceId) => act(path, { ...input, confirmation: check.confirmation, pin, referenceId }))
          }
        />
      )}
    </Screen>
  )
}

/** The batch has the id of the outflow that waits. */
function idOf(done: CheckedPayouts | PendingOutflow): string | undefined {
  return 'id' in done ? done.id : done.batch?.id
}

type CheckedFileProps = {
  readonly check: PayoutCheck
  readonly paying: Pick<Act<unknown>, 'state' | 'refusal' | 'forget'>
  readonly onPay: (pin: string) => void
}

/** The result of the check, and the button that pays the accepted rows. */
function CheckedFile({ check, paying, onPay }: CheckedFileProps) {
  const pin = usePin(paying)
  const isBusy = paying.state !== 'idle'
  const { accepted, total, currency, isCovered, outflow } = check
  const isPossible = accepted > 0 && isCovered && outflow !== 'above_daily'
  return (
    <section className="section" aria-label={money.file.checked}>
      <h2>{money.file.checked}</h2>
      <CheckResult check={check} />
      {isPossible && (
        <form
          className="fields"
          noValidate
          onChange={paying.forget}
          onSubmit={onSubmit((form) => {
            if (!isBusy && checkForm(form, pin.check)) onPay(pin.take())
          })}
        >
          {pin.field}
          <Checking state={paying.state} words={words.checking} />
          {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy}>
              {isBusy ? words.oneMoment : money.file.act(accepted, formatMoney(total, currency))}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
