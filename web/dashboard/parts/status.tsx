import type { ReactNode } from 'react'
import type { Payment } from '../shell/responses.ts'
import './status.css'
import { nameOf, words } from '../words/words.ts'

const tones: Readonly<Record<string, 'good' | 'waits' | 'bad' | 'over'>> = {
  COMPLETED: 'good',
  PARTIALLY_REFUNDED: 'good',
  APPROVED: 'good',
  open: 'good',
  ready: 'good',
  delivered: 'good',
  PENDING: 'waits',
  PROCESSING: 'waits',
  issuing: 'waits',
  creating: 'waits',
  closing: 'waits',
  onchain: 'good',
  pending: 'waits',
  FAILED: 'bad',
  declined: 'bad',
  underpaid: 'bad',
  network_failed: 'bad',
  network_reversed: 'bad',
  REVERSED: 'bad',
  frozen: 'bad',
  blocked: 'bad',
  failed: 'bad',
}
const signs = { good: '✓', waits: '…', bad: '!', over: '–' }

type StatusProps = { readonly of: string; readonly names?: Readonly<Record<string, string>> }

/** A status with a sign, so that it does not depend on colour alone. */
export function Status({ of, names = words.statuses }: StatusProps): ReactNode {
  const tone = tones[of] ?? 'over'
  return (
    <span className="status" data-tone={tone}>
      <span className="status-sign" aria-hidden="true">
        {signs[tone]}
      </span>
      {nameOf(names, of)}
    </span>
  )
}

type EndState = Pick<Payment, 'status' | 'statusReason'>

/** The status of a payment, or the reason if it ended without its money: the reason says more. */
export function PaymentStatus({ payment: { status, statusReason } }: { readonly payment: EndState }): ReactNode {
  if (statusReason === '') return <Status of={status} />
  return (
    <span className="status-reason">
      <Status of={statusReason} names={words.statusReasons} />
    </span>
  )
}

/** The same as text. */
export function nameStatus({ status, statusReason }: EndState): string {
  return statusReason === '' ? nameOf(words.statuses, status) : nameOf(words.statusReasons, statusReason)
}
