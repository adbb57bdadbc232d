import { Ban, CircleDashed, Link2, Lock, type LucideIcon, RotateCcw, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Pill, type Tone } from '../../ui/pill.tsx'
import type { Column } from '../../ui/table.tsx'
import type { Payment } from '../shell/responses.ts'
import { nameOf, words } from '../words/words.ts'

const tones: Readonly<Record<string, Tone>> = {
  COMPLETED: 'good',
  APPROVED: 'good',
  open: 'good',
  ready: 'good',
  paid: 'good',
  done: 'good',
  matched: 'good',
  credited: 'good',
  delivered: 'good',
  onchain: 'good',
  PENDING: 'wait',
  pending: 'wait',
  waiting: 'wait',
  unpaid: 'wait',
  under: 'wait',
  over: 'wait',
  late: 'wait',
  wrong_token: 'wait',
  reversed: 'wait',
  PROCESSING: 'busy',
  issuing: 'busy',
  paying: 'busy',
  creating: 'busy',
  closing: 'busy',
  FAILED: 'bad',
  declined: 'bad',
  rejected: 'bad',
  refused: 'bad',
  underpaid: 'bad',
  network_failed: 'bad',
  network_reversed: 'bad',
  REVERSED: 'bad',
  frozen: 'bad',
  blocked: 'bad',
  failed: 'bad',
}

/** Statuses with an icon of their own. The others have the icon of their tone. */
const icons: Readonly<Record<string, LucideIcon>> = {
  PARTIALLY_REFUNDED: Undo2,
  REFUNDED: Undo2,
  frozen: Lock,
  blocked: Ban,
  cancelled: Ban,
  canceled: Ban,
  returned: Undo2,
  withdrawn: Ban,
  replaced: RotateCcw,
  onchain: Link2,
}

type StatusProps = { readonly of: string; readonly names?: Readonly<Record<string, string>> }

/** A status with an icon, so that it does not depend on colour alone. */
export function Status({ of, names = words.statuses }: StatusProps): ReactNode {
  const tone = tones[of] ?? 'over'
  const icon = icons[of] ?? (tone === 'over' ? CircleDashed : undefined)
  return (
    <Pill tone={tone} {...(icon !== undefined && { icon })}>
      {nameOf(names, of)}
    </Pill>
  )
}

type EndState = Pick<Payment, 'status' | 'statusReason'>

/** The status of a payment, or the reason if it ended without its money: the reason says more. */
export function PaymentStatus({ payment: { status, statusReason } }: { readonly payment: EndState }): ReactNode {
  if (statusReason === '') return <Status of={status} />
  return <Status of={statusReason} names={words.statusReasons} />
}

/** The same as text. */
export function nameStatus({ status, statusReason }: EndState): string {
  return statusReason === '' ? nameOf(words.statuses, status) : nameOf(words.statusReasons, statusReason)
}

/** On a phone, where each row has little room, the usual status is not shown. */
export const statusColumn: Column<EndState> = {
  name: words.payments.status,
  kind: 'status',
  cell: (payment) => (
    <span data-quiet={payment.status === 'COMPLETED' || undefined}>
      <PaymentStatus payment={payment} />
    </span>
  ),
}
