import type { ReactNode } from 'react'
import { type Column, Table } from '../../ui/table.tsx'
import type { Journal, OnePayment, Party } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'

type Transfer = Journal['transfers'][number] & { readonly key: string; readonly at: string; readonly what: ReactNode }

const columns: readonly Column<Transfer>[] = [
  { name: words.payment.from, kind: 'head', cell: ({ from }) => nameAccount(from) },
  { name: words.payment.to, cell: ({ to }) => nameAccount(to) },
  { name: words.payments.what, cell: ({ what }) => what },
  { name: words.payments.when, cell: ({ at }) => <When at={at} /> },
  {
    name: words.amount,
    kind: 'sum',
    cell: ({ amount, currency }) => <Money value={amount} code={currency} />,
  },
]

function nameAccount({ kind, name }: Party): string {
  if (kind === 'voucher' && name !== '') return words.payments.voucherTail(name)
  if (kind === 'wallet' && name !== '') return words.accounts.walletNamed(name)
  return nameOf(words.accounts.names, kind)
}

/** The ledger entries of the payment and of its refunds. */
export function Journals({ journals, payment }: Pick<OnePayment, 'journals' | 'payment'>): ReactNode {
  if (journals.length === 0) return <p className="soft">{words.payment.noJournals}</p>
  const nameEntry = (reference: string): ReactNode =>
    reference === payment.reference ? (
      nameOf(words.types, payment.type)
    ) : (
      <Link to={`/payments/${encodeURIComponent(reference)}`}>{words.types.REFUND}</Link>
    )
  const rows = journals.flatMap(({ id, reference, postedAt, transfers }) => {
    const what = nameEntry(reference)
    return transfers.map((transfer, place) => ({ ...transfer, key: `${id} ${place}`, at: postedAt, what }))
  })
  return <Table caption={words.payment.journalCaption} columns={columns} rows={rows} keyOf={({ key }) => key} />
}
