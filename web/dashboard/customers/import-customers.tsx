import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { CsvForm } from '../parts/csv-form.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import type { CustomerImport } from '../shell/responses.ts'
import { customerWords } from '../words/customer-words.ts'
import { describeError, words } from '../words/words.ts'

const path = '/merchant/customers/import'
const { import: say } = customerWords

/** Imports customers. The file is checked first, and any change of it needs another check. */
export function ImportCustomers(): ReactNode {
  const [csv, setCsv] = useState('')
  const checking = useAct<CustomerImport>()
  const importing = useAct<CustomerImport>()
  const isBusy = checking.state !== 'idle' || importing.state !== 'idle'
  const change = (text: string) => {
    checking.again()
    importing.again()
    setCsv(text)
  }
  const { done } = importing
  return (
    <Screen heading={say.heading} lead={say.lead} back="/customers">
      <CsvForm
        texts={say}
        example={'email,name\nada@example.com,Ada Obi'}
        csv={csv}
        isBusy={isBusy}
        isChecked={checking.done !== null}
        refusal={checking.refusal}
        onChange={change}
        onCheck={() => checking.start(() => act(path, { csv, isConfirmed: false }))}
      />
      {checking.done !== null && done === null && (
        <Checked
          checked={checking.done}
          isBusy={isBusy}
          onImport={() => importing.start(() => act(path, { csv, isConfirmed: true }))}
        />
      )}
      {importing.refusal !== null && !isBusy && <Notice kind="error">{describeError(importing.refusal)}</Notice>}
      {done !== null && (
        <>
          <div role="status">
            <Notice kind="done">{say.done(done.added)}</Notice>
          </div>
          <div className="acts">
            <Link className="button" data-kind="main" to="/customers">
              {customerWords.heading}
            </Link>
          </div>
        </>
      )}
    </Screen>
  )
}

type Fault = CustomerImport['faults'][number]

const columns: readonly Column<Fault>[] = [
  { name: say.line, kind: 'head', cell: ({ line }) => line },
  {
    name: say.reason,
    cell: ({ fault, other }) => (fault === 'email_twice' ? say.twice(other) : say.reasons[fault]),
  },
]

type CheckedProps = {
  readonly checked: CustomerImport
  readonly isBusy: boolean
  readonly onImport: () => void
}

/** The errors of the file, or what an import adds with the button for it. */
function Checked({ checked: { added, known, faults }, isBusy, onImport }: CheckedProps) {
  if (faults.length > 0)
    return (
      <section className="section">
        <Notice kind="error">{say.faults(faults.length)}</Notice>
        <Table
          caption={say.faults(faults.length)}
          columns={columns}
          rows={faults}
          keyOf={({ line, fault }) => `${line} ${fault}`}
        />
      </section>
    )
  if (added === 0) return <Notice>{say.nothingNew}</Notice>
  return (
    <section className="section">
      <div role="status">
        <Notice>{say.valid(added, known)}</Notice>
      </div>
      <div className="acts">
        <Button kind="main" aria-disabled={isBusy} onClick={() => isBusy || onImport()}>
          {isBusy ? words.oneMoment : say.act(added)}
        </Button>
      </div>
    </section>
  )
}
