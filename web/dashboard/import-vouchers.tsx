import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { Choice } from '../ui/choice.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Batch } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Screen } from './frame.tsx'
import { go } from './place.ts'
import { sayMoney, useCurrencies, useShop } from './shop.tsx'
import { type Column, Table } from './table.tsx'
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
  const importing = useAct<Imported>()
  const batchId = importing.done?.batch?.id
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
  const refusal = importing.refusal ?? trying.refusal
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
        <Checking state={importing.state} words={words.checking} />
        {!isBusy && refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
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
          isBusy={isBusy}
          onImport={() =>
            importing.start((referenceId) =>
              act(path, { csv, currency, confirmation: trial.confirmation, referenceId }),
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

type TriedProps = { readonly trial: Trial; readonly isBusy: boolean; readonly onImport: () => void }

function Tried({ trial: { size, total, currency, isCovered, faults }, isBusy, onImport }: TriedProps) {
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
  return (
    <section className="section">
      <Notice kind={isCovered ? 'info' : 'error'}>
        {isCovered ? words.import.good(size, sayMoney(total, currency)) : words.import.notCovered}
      </Notice>
      <div className="acts">
        <Button kind="main" aria-disabled={isBusy || !isCovered} onClick={() => isBusy || !isCovered || onImport()}>
          {isBusy ? words.oneMoment : words.import.act(size)}
        </Button>
      </div>
    </section>
  )
}
