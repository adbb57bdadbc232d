import { type SubmitEvent, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { Choice } from '../ui/choice.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Act } from '../ui/use-act.ts'
import type { Batch, PendingOutflow } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { isPending, PendingScreen } from './pending.tsx'
import { go } from './place.ts'
import { sayMoney, useCurrencies, useShop } from './shop.tsx'
import { type Column, Table } from './table.tsx'
import { usePin } from './use-pin.tsx'
import { sayRefusal, words } from './words.ts'

type Fault = { readonly line: number; readonly column: string; readonly reason: string }
type Trial = {
  readonly size: number
  readonly total: string
  readonly currency: string
  readonly isCovered: boolean
  readonly faults: readonly Fault[]
  readonly confirmation: string
}
type Imported = { readonly trial?: Trial; readonly batch?: Batch }

const path = '/merchant-integrations-server/voucher-imports'

/** A file is tried first, and imported only as it was tried. */
export function ImportVouchers() {
  const { merchant } = useShop()
  const currencies = useCurrencies().filter(({ isActive }) => isActive)
  const [csv, setCsv] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const trying = useAct<Imported>()
  const importing = useAct<Imported | PendingOutflow>()
  const { done } = importing
  const batchId = done === null || isPending(done) ? undefined : done.batch?.id
  useEffect(() => {
    if (batchId !== undefined) go(`/vouchers/batches/${batchId}`, 'replace')
  }, [batchId])
  const change = (text: string) => {
    trying.again()
    importing.again()
    setCsv(text)
  }
  const trial = trying.done?.trial
  const isBusy = trying.state !== 'idle' || importing.state !== 'idle'
  if (done !== null && isPending(done)) return <PendingScreen pending={done} kind="batch" />
  return (
    <Screen heading={words.import.heading} back="/vouchers">
      <p className="soft">{words.import.lead}</p>
      <form
        className="fields import"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (csv.trim() !== '') trying.start(() => act(path, { csv, currency }))
        }}
      >
        <Choice
          label={words.currency}
          value={currency}
          disabled={isBusy}
          onChange={(event) => {
            trying.again()
            importing.again()
            setCurrency(event.target.value)
          }}
          options={currencies.map(({ abbreviation }) => [abbreviation, abbreviation])}
        />
        <label className="field">
          <span className="field-label">{words.import.file}</span>
          <input
            className="field-input import-file"
            type="file"
            accept=".csv,text/csv,text/plain"
            disabled={isBusy}
            onChange={(event) => void event.target.files?.[0]?.text().then(change)}
          />
        </label>
        <label className="field">
          <span className="field-label">{words.import.paste}</span>
          <textarea
            className="field-input import-text"
            rows={8}
            spellCheck={false}
            placeholder={'code,balance\nGIFT-000123,25.00'}
            value={csv}
            disabled={isBusy}
            onChange={(event) => change(event.target.value)}
          />
          <span className="field-hint">{words.import.format}</span>
        </label>
        {!isBusy && trying.refusal !== null && <Notice kind="error">{sayRefusal(trying.refusal)}</Notice>}
        {trial === undefined && (
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy || csv.trim() === ''}>
              {isBusy ? words.oneMoment : words.import.try}
            </Button>
          </div>
        )}
      </form>
      {trial !== undefined && (
        <Tried
          trial={trial}
          importing={importing}
          onImport={(pin) =>
            importing.start((referenceId) =>
              act(path, { csv, currency, confirmation: trial.confirmation, pin, referenceId }),
            )
          }
        />
      )}
    </Screen>
  )
}

const columns: readonly Column<Fault>[] = [
  { name: words.import.line, kind: 'head', cell: ({ line }) => line },
  { name: words.import.column, cell: ({ column }) => column },
  { name: words.import.reason, cell: ({ reason }) => reason },
]

type TriedProps = {
  readonly trial: Trial
  readonly importing: Pick<Act<unknown>, 'state' | 'refusal'>
  readonly onImport: (pin: string) => void
}

function Tried({ trial: { size, total, currency, isCovered, faults }, importing, onImport }: TriedProps) {
  const pin = usePin(importing)
  const isBusy = importing.state !== 'idle'
  const isReady = isCovered && pin.isReady
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
    if (!isBusy && isReady) onImport(pin.take())
  }
  return (
    <section className="section">
      <Notice kind={isCovered ? 'info' : 'error'}>
        {isCovered ? words.import.good(size, sayMoney(total, currency)) : words.import.notCovered}
      </Notice>
      {isCovered && (
        <form className="fields" noValidate onSubmit={submit}>
          {pin.field}
          <Checking state={importing.state} words={words.checking} />
          {pin.otherRefusal !== null && <Notice kind="error">{sayRefusal(pin.otherRefusal)}</Notice>}
          <div className="acts">
            <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
              {isBusy ? words.oneMoment : words.import.act(size)}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
