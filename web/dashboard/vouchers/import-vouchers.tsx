import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { focusFirstInvalid } from '../../ui/field.tsx'
import { serverText } from '../../ui/locale.ts'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { Act } from '../../ui/use-act.ts'
import { isPending, PendingScreen } from '../approvals/pending.tsx'
import { CsvForm } from '../parts/csv-form.tsx'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { Screen } from '../shell/frame.tsx'
import { go } from '../shell/place.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import type { Imported, PendingOutflow, Trial } from '../shell/responses.ts'
import { formatMoney, useShop } from '../shell/shop.tsx'
import { describeError, nameOf, words } from '../words/words.ts'

type ImportInput = { readonly csv: string; readonly currency: string }

const path = '/merchant-integrations-server/voucher-imports'

/** Imports gift cards. The file is checked first, and any change of it needs another check. */
export function ImportVouchers(): ReactNode {
  const { merchant } = useShop()
  const [input, setInput] = useState<ImportInput>({ csv: '', currency: merchant.homeCurrency })
  const checking = useAct<Imported>()
  const importing = useAct<Imported | PendingOutflow>()
  const { done } = importing
  const batchId = done === null || isPending(done) ? undefined : done.batch?.id
  useEffect(() => {
    if (batchId !== undefined) go(`/vouchers/batches/${batchId}`, 'replace')
  }, [batchId])
  const change = (changes: Partial<ImportInput>) => {
    checking.again()
    importing.again()
    setInput((current) => ({ ...current, ...changes }))
  }
  const trial = checking.done?.trial
  const isBusy = checking.state !== 'idle' || importing.state !== 'idle'
  if (done !== null && isPending(done)) return <PendingScreen pending={done} kind="batch" />
  return (
    <Screen heading={words.import.heading} back="/vouchers">
      <p className="soft">{words.import.lead}</p>
      <CsvForm
        texts={words.import}
        example={'code,balance\nGIFT-000123,25.00'}
        csv={input.csv}
        isBusy={isBusy}
        isChecked={trial !== undefined}
        refusal={checking.refusal}
        onChange={(csv) => change({ csv })}
        onCheck={() => checking.start(() => act(path, input))}
      >
        <CurrencyChoice value={input.currency} isDisabled={isBusy} onChange={(currency) => change({ currency })} />
      </CsvForm>
      {trial !== undefined && (
        <CheckedFile
          trial={trial}
          importing={importing}
          onImport={(pin) =>
            importing.start((referenceId) =>
              act(path, { ...input, confirmation: trial.confirmation, pin, referenceId }),
            )
          }
        />
      )}
    </Screen>
  )
}

const columns: readonly Column<Trial['faults'][number]>[] = [
  { name: words.import.line, kind: 'head', cell: ({ line }) => line },
  { name: words.import.column, cell: ({ column }) => column },
  {
    name: words.import.reason,
    cell: ({ column, reason }) => serverText(reason) ?? nameOf(words.import.invalid, column),
  },
]

type CheckedFileProps = {
  readonly trial: Trial
  readonly importing: Pick<Act<unknown>, 'state' | 'refusal' | 'forget'>
  readonly onImport: (pin: string) => void
}

/** The errors of the file, or its total with the button that imports it. */
function CheckedFile({ trial: { size, total, currency, isCovered, faults }, importing, onImport }: CheckedFileProps) {
  const pin = usePin(importing)
  const isBusy = importing.state !== 'idle'
  if (faults.length > 0)
    return (
      <section className="section">
        <Notice kind="error">{words.import.faults(faults.length)}</Notice>
        <Table
          caption={words.import.faults(faults.length)}
          columns={columns}
          rows={faults}
          keyOf={({ line, column }) => `${line} ${column}`}
        />
      </section>
    )
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (pin.check()) onImport(pin.take())
    else focusFirstInvalid(event.currentTarget)
  }
  return (
    <section className="section">
      <Notice kind={isCovered ? 'info' : 'error'}>
        {isCovered ? words.import.valid(size, formatMoney(total, currency)) : words.import.notCovered}
      </Notice>
      {isCovered && (
        <form className="fields" noValidate onChange={importing.forget} onSubmit={submit}>
          {pin.field}
          <Checking state={importing.state} words={words.checking} />
          {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy}>
              {isBusy ? words.oneMoment : words.import.act(size)}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
