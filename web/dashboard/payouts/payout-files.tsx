import { type ReactNode, useEffect } from 'react'
import { FilterChip } from '../../ui/chip.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { PayoutFile, PayoutFiles as FilesPage, PayoutRow, PayoutRows } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { usePages } from '../parts/pages.tsx'
import { SaveButton } from '../parts/save-file.tsx'
import { Status } from '../parts/status.tsx'
import { Link } from '../shell/place.ts'
import { formatMoney, Loaded, Money, When } from '../shell/shop.tsx'
import { money } from '../words/money.ts'
import { nameOf, words } from '../words/words.ts'

const path = '/merchant-integrations-server/payout-batches'
const lookAgainMs = 1_000

const columns: readonly Column<PayoutFile>[] = [
  {
    name: money.file.created,
    kind: 'head',
    cell: ({ id, createdAt }) => (
      <Link className="cover-link" to={`/payouts/files/${id}`}>
        <When at={createdAt} />
      </Link>
    ),
  },
  { name: money.file.reference, kind: 'extra', cell: ({ referenceId }) => <code>{referenceId}</code> },
  { name: words.payments.status, cell: ({ status }) => <Status of={status} names={money.file.status} /> },
  { name: money.file.paid, kind: 'amount', cell: ({ paid }) => paid },
  { name: money.file.notPaid, kind: 'amount', cell: ({ refused }) => refused },
  {
    name: money.file.total,
    kind: 'sum',
    cell: ({ total, currency }) => <Money value={total} code={currency} />,
  },
]

export function PayoutFiles(): ReactNode {
  const { known, pageLinks } = usePages<FilesPage>('payouts/files', path, [], ({ batches }) => batches.length === 0)
  return (
    <Screen heading={money.file.listHeading} back="/payouts">
      <Loaded known={known}>
        {({ batches }) =>
          batches.length === 0 ? (
            <Empty heading={money.file.none} lead={money.file.noneLead}>
              <Link className="button" data-kind="main" to="/payouts/pay-file">
                {money.payouts.sendFile}
              </Link>
            </Empty>
          ) : (
            <Table caption={money.file.listCaption} columns={columns} rows={batches} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {pageLinks}
    </Screen>
  )
}

export function PayoutFileScreen({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<PayoutFile>(`${path}/${id}`)
  const { retry } = known
  const isPaying = known.data?.status === 'paying'
  useEffect(() => {
    if (!isPaying) return
    const timer = setInterval(retry, lookAgainMs)
    return () => clearInterval(timer)
  }, [isPaying, retry])
  return (
    <Screen heading={money.file.oneHeading} back="/payouts/files">
      <Loaded known={known}>{(file) => <OneFile file={file} />}</Loaded>
    </Screen>
  )
}

function OneFile({ file }: { readonly file: PayoutFile }) {
  const { id, status, size, paid, refused, total, returned, currency, referenceId, createdAt } = file
  const progress = money.file.progress(paid + refused, size)
  return (
    <>
      {status === 'waiting' ? (
        <Notice kind="wait">
          <p>{money.file.waitingLead(formatMoney(total, currency))}</p>
          <Link to="/approvals">{money.payouts.openApprovals}</Link>
        </Notice>
      ) : (
        <div className="payout-progress" role="status">
          <progress max={size} value={paid + refused} aria-label={progress} />
          <p>
            <Status of={status} names={money.file.status} /> <span className="soft">{progress}</span>
          </p>
        </div>
      )}
      <div className="narrow">
        <Facts
          rows={[
            [money.file.created, <When key="created" at={createdAt} />],
            [money.file.reference, <code key="reference">{referenceId}</code>],
            [money.file.paid, String(paid)],
            [money.file.notPaid, String(refused)],
            [money.file.total, <Money key="total" value={total} code={currency} />],
            ...(isZero(returned)
              ? []
              : [[money.file.returned, <Money key="returned" value={returned} code={currency} />] as const]),
          ]}
        />
      </div>
      <Results file={file} key={`${id} ${status}`} />
    </>
  )
}

const statuses = Object.entries(money.file.rowStatus)

/** The rows with their results, by pages. */
function Results({ file: { id, currency } }: { readonly file: PayoutFile }) {
  const { known, filters, filter, pageLinks } = usePages<PayoutRows>(
    `payouts/files/${id}`,
    `${path}/${id}/rows`,
    ['status'],
    ({ rows }) => rows.length === 0,
  )
  return (
    <section className="section" aria-label={money.file.results}>
      <div className="screen-head">
        <h2>{money.file.results}</h2>
        <div className="acts">
          <SaveButton
            path={`/merchant/payout-batches/${id}/results.csv`}
            fileName={money.file.fileName}
            label={money.file.save}
          />
        </div>
      </div>
      <div className="chips">
        <FilterChip
          label={money.file.result}
          value={filters.get('status') ?? ''}
          options={statuses}
          any={money.file.all}
          clearLabel={words.payments.removeFilter(money.file.result)}
          onChoose={(status) => filter({ status })}
        />
      </div>
      <Loaded known={known}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p className="soft">{money.file.noRows}</p>
          ) : (
            <Table
              caption={money.file.resultsCaption}
              columns={rowColumns(currency)}
              rows={rows}
              keyOf={({ line }) => String(line)}
            />
          )
        }
      </Loaded>
      {pageLinks}
    </section>
  )
}

function rowColumns(currency: string): readonly Column<PayoutRow>[] {
  return [
    { name: money.file.line, kind: 'extra', cell: ({ line }) => line },
    {
      name: money.file.recipient,
      kind: 'head',
      cell: ({ recipient, name, status, referenceId }) => (
        <>
          {status === 'paid' ? (
            <Link className="cover-link" to={`/payments/${encodeURIComponent(referenceId)}`}>
              {name}
            </Link>
          ) : (
            name || recipient
          )}
          {name !== '' && <span className="table-second">{recipient}</span>}
        </>
      ),
    },
    {
      name: money.file.result,
      cell: ({ status, fault }) => (
        <>
          <Status of={status} names={money.file.rowStatus} />
          {fault !== null && <span className="table-second">{nameOf(money.file.reasons, fault)}</span>}
        </>
      ),
    },
    {
      name: words.amount,
      kind: 'sum',
      cell: ({ amount }) => (amount === '' ? '' : <Money value={amount} code={currency} />),
    },
  ]
}
