import type { ReactNode } from 'react'
import './status.css'
import { nameOf, words } from './words.ts'

const tones: Readonly<Record<string, 'good' | 'waits' | 'bad' | 'over'>> = {
  COMPLETED: 'good',
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
