import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { PayoutCheck } from '../shell/responses.ts'
import { Money } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { nameOf, words } from '../words/words.ts'

// A reader fixes the file from these. All of them would make a page of thousands of rows.
const faultsShown = 200

type Total = PayoutCheck['totals'][number]
type Fault = PayoutCheck['faults'][number]

const totalColumns: readonly Column<Total>[] = [
  { name: words.currency, kind: 'head', cell: ({ currency }) => currency },
  { name: money.file.rows, kind: 'amount', cell: ({ rows }) => rows },
  {
    name: money.file.total,
    kind: 'sum',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} />,
  },
]

const faultColumns: readonly Column<Fault>[] = [
  { name: money.file.line, kind: 'head', cell: ({ line }) => line },
  { name: money.file.recipient, cell: ({ recipient }) => recipient },
  { name: money.file.reason, cell: ({ fault }) => nameOf(money.file.reasons, fault) },
]

/** What is paid, what waits and what is wrong with the other rows. */
export function CheckResult({ check }: { readonly check: PayoutCheck }): ReactNode {
  const { size, accepted, newRecipients, total, currency, totals, faults, sameFile } = check
  const shown = faults.slice(0, faultsShown)
  return (
    <>
      <div className="narrow">
        <Facts
          rows={[
            [money.file.rows, String(size)],
            [money.file.accepted, String(accepted)],
            [money.file.refused, String(faults.length)],
            [money.file.total, <Money key="total" value={total} code={currency} isDue />],
          ]}
        />
      </div>
      {totals.length > 1 && (
        <>
          <h3>{money.file.totals}</h3>
          <Table
            caption={money.file.totalsCaption}
            columns={totalColumns}
            rows={totals}
            keyOf={(each) => each.currency}
          />
        </>
      )}
      {sameFile !== '' && <Notice kind="error">{money.file.sameFile(sameFile)}</Notice>}
      {newRecipients > 0 && <Notice kind="wait">{money.file.newRecipients(newRecipients)}</Notice>}
      <Forecast check={check} />
      {faults.length > 0 && (
        <>
          <Notice kind="wait">{money.file.faults(faults.length)}</Notice>
          <Table
            caption={money.file.faults(faults.length)}
            columns={faultColumns}
            rows={shown}
            keyOf={({ line }) => String(line)}
          />
          {faults.length > shown.length && (
            <p className="soft">{money.file.moreFaults(faults.length - shown.length)}</p>
          )}
        </>
      )}
    </>
  )
}

/** What happens when the file is submitted. */
function Forecast({ check: { accepted, isCovered, outflow, waitHours } }: { readonly check: PayoutCheck }) {
  if (accepted === 0) return <Notice kind="error">{money.file.allBad}</Notice>
  if (!isCovered) return <Notice kind="error">{money.payouts.notCovered}</Notice>
  const { delayed, ...others } = money.payouts.outflow
  return (
    <Notice kind={outflow === 'above_daily' ? 'error' : 'info'}>
      {outflow === 'delayed' ? delayed(waitHours) : others[outflow]}
    </Notice>
  )
}
