import { useEffect, type ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Batch, Batches as BatchesPage } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { usePages } from '../parts/pages.tsx'
import { Link } from '../shell/place.ts'
import { SaveCodesButton } from '../parts/save-file.tsx'
import { Money, Loaded, When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'

const path = '/merchant-integrations-server/voucher-batches'
const lookAgainMs = 1_000

export function Batches(): ReactNode {
  const { known, pageLinks } = usePages<BatchesPage>(
    'vouchers/batches',
    path,
    [],
    ({ batches }) => batches.length === 0,
  )
  return (
    <Screen heading={words.batch.listHeading} back="/vouchers">
      <Loaded known={known}>
        {({ batches }) =>
          batches.length === 0 ? (
            <Empty heading={words.batch.none} lead={words.batch.noneLead}>
              <Link className="button" data-kind="main" to="/vouchers/issue-many">
                {words.vouchers.many}
              </Link>
            </Empty>
          ) : (
            <Table caption={words.batch.listCaption} columns={columns} rows={batches} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {pageLinks}
    </Screen>
  )
}

const columns: readonly Column<Batch>[] = [
  {
    name: words.batch.created,
    kind: 'head',
    cell: ({ id, createdAt }) => (
      <Link className="cover-link" to={`/vouchers/batches/${id}`}>
        <When at={createdAt} />
      </Link>
    ),
  },
  { name: words.payments.type, cell: typeOf },
  { name: words.payments.status, cell: ({ status }) => <Status of={status} names={words.batch.status} /> },
  { name: words.batch.size, kind: 'amount', cell: ({ size }) => size },
  {
    name: words.batch.each,
    kind: 'amount',
    cell: eachOf,
  },
  {
    name: words.batch.total,
    kind: 'sum',
    cell: ({ total, currency }) => <Money value={total} code={currency} />,
  },
]

function typeOf({ source, isInactive }: Batch): string {
  return isInactive ? selling.cards.type : words.batch[source]
}

/** The amount of each voucher. Imported ones differ, and that of cards may be decided when they are sold. */
function eachOf({ source, isInactive, amount, currency }: Batch): ReactNode {
  if (source === 'imported') return ''
  return isInactive && isZero(amount) ? selling.cards.anyAmount : <Money value={amount} code={currency} />
}

export function BatchScreen({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<Batch>(`${path}/${id}`)
  const { retry } = known
  const isIssuing = known.data?.status === 'issuing'
  useEffect(() => {
    if (!isIssuing) return
    const timer = setInterval(retry, lookAgainMs)
    return () => clearInterval(timer)
  }, [isIssuing, retry])
  return (
    <Screen heading={words.batch.heading} back="/vouchers/batches">
      <Loaded known={known}>{(batch) => <OneBatch batch={batch} />}</Loaded>
    </Screen>
  )
}

function OneBatch({ batch }: { readonly batch: Batch }) {
  const { id, source, status, size, issued, refused, total, currency, createdAt, exportedAt, isInactive } = batch
  const progress = words.batch.progress(issued, size)
  return (
    <>
      <div className="batch-progress" role="status">
        <progress max={size} value={issued} aria-label={progress} />
        <p>
          <Status of={status} names={words.batch.status} /> <span className="soft">{progress}</span>
        </p>
      </div>
      {refused.length > 0 && <Notice>{words.batch.refused(refused.length)}</Notice>}
      <div className="narrow">
        <Facts
          rows={[
            [words.batch.created, <When key="created" at={createdAt} />],
            [words.payments.type, typeOf(batch)],
            ...(source === 'made' ? [[words.batch.each, eachOf(batch)] as const] : []),
            ...(isInactive ? [] : [[words.batch.total, <Money key="total" value={total} code={currency} />] as const]),
            ...(exportedAt === '' ? [] : [[words.batch.exported, <When key="exported" at={exportedAt} />] as const]),
          ]}
        />
      </div>
      {status === 'ready' && (
        <>
          <p className="soft narrow">{isInactive ? selling.cards.care : words.batch.care}</p>
          <div className="acts">
            <SaveCodesButton
              path={`${path}/${id}/vouchers.pdf`}
              fileName={words.files.codesToPrint}
              label={words.batch.pdf}
              lead={words.batch.confirmLead}
              kind="main"
            />
            <SaveCodesButton
              path={`${path}/${id}/vouchers.csv`}
              fileName={words.files.codes}
              label={words.batch.csv}
              lead={words.batch.confirmLead}
            />
          </div>
        </>
      )}
    </>
  )
}
