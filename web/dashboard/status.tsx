import './status.css'
import { nameOf, words } from './words.ts'

const tones: Readonly<Record<string, 'good' | 'waits' | 'bad' | 'over'>> = {
  ...{ COMPLETED: 'good', APPROVED: 'good', open: 'good', ready: 'good', delivered: 'good' },
  ...{ PENDING: 'waits', PROCESSING: 'waits', issuing: 'waits', pending: 'waits' },
  ...{ FAILED: 'bad', REVERSED: 'bad', frozen: 'bad', blocked: 'bad', failed: 'bad' },
}
const signs = { good: '✓', waits: '…', bad: '!', over: '–' }

type StatusProps = { readonly of: string; readonly names?: Readonly<Record<string, string>> }

/** A word with a sign and a tone: nobody has to tell colours apart. */
export function Status({ of, names = words.statuses }: StatusProps) {
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
