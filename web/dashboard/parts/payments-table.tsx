import { BanknoteArrowUp, Bitcoin, FileText, type LucideIcon, Pencil, Smartphone, Ticket, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../../ui/avatar.tsx'
import { type Column, Table, TableWhat } from '../../ui/table.tsx'
import type { Payment } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, useShop, When } from '../shell/shop.tsx'
import { nameOf, words } from '../words/words.ts'
import { dayIn, nameDay } from './days.ts'
import { statusColumn } from './status.tsx'

const icons: Readonly<Record<Payment['type'], LucideIcon>> = {
  VOUCHER_REDEMPTION: Ticket,
  PAYMENT_REQUEST: Smartphone,
  WALLET_DEPOSIT: Bitcoin,
  REFUND: Undo2,
  PAYOUT: BanknoteArrowUp,
  INVOICE_PAYMENT: FileText,
  VOUCHER_PURCHASE: Ticket,
  ADJUSTMENT: Pencil,
}

type PaymentsTableProps = {
  readonly payments: readonly Payment[]
  /** Under a heading for each day. */
  readonly isGrouped?: boolean
}

/** Payments, each row a link to its payment. */
export function PaymentsTable({ payments, isGrouped = false }: PaymentsTableProps): ReactNode {
  const { timeZone } = useShop().merchant
  const caption = words.payments.caption
  const keyOf = ({ id }: Payment): string => id
  if (!isGrouped) return <Table caption={caption} columns={columns('moment')} rows={payments} keyOf={keyOf} />
  const byDay = Map.groupBy(payments, ({ createdAt }) => dayIn(timeZone, new Date(createdAt)))
  const today = dayIn(timeZone, new Date())
  const groups = [...byDay].map(([day, rows]) => ({ key: day, heading: nameDay(day, today), rows }))
  return <Table caption={caption} columns={columns('time')} groups={groups} keyOf={keyOf} />
}

function columns(form: 'moment' | 'time'): readonly Column<Payment>[] {
  return [
    { name: words.payments.what, kind: 'head', cell: (payment) => <What payment={payment} /> },
    { name: words.payments.by, kind: 'extra', cell: ({ by }) => (by === '' ? words.payments.api : by) },
    statusColumn,
    {
      name: words.amount,
      kind: 'sum',
      cell: ({ amount, currency, direction, settledAt }) => (
        <Money
          value={amount}
          code={currency}
          sign={settledAt === '' || direction === 'none' ? '' : direction === 'out' ? '−' : '+'}
          // A pending or failed payment is not money in.
          tone={settledAt === '' ? 'soft' : direction === 'in' ? 'in' : 'plain'}
        />
      ),
    },
    { name: words.payments.when, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} form={form} /> },
  ]
}

/** Who paid, what it was, and the reference. */
function What({ payment: { type, reference, person, codeTail } }: { readonly payment: Payment }) {
  const who = person !== '' ? person : codeTail === '' ? '' : words.payments.voucherTail(codeTail)
  return (
    <TableWhat
      icon={<IconTile icon={icons[type]} shape="square" size="s" />}
      title={
        <Link className="cover-link" to={`/payments/${encodeURIComponent(reference)}`}>
          {nameOf(words.types, type)}
        </Link>
      }
      second={
        <span className="table-second" title={who === '' ? reference : `${who} · ${reference}`}>
          {who !== '' && `${who} · `}
          <code>{reference}</code>
        </span>
      }
    />
  )
}
