import type { ReactNode } from 'react'
import './checking.css'
import type { Act } from './use-act.ts'

type CheckingProps = Pick<Act<unknown>, 'state'> & {
  readonly words: { readonly checking: string; readonly checkingLead: string }
}

/** Says that the response was lost and that the app is checking the outcome. */
export function Checking({ state, words }: CheckingProps): ReactNode {
  return (
    <p className="checking" role="status">
      {state === 'checking' && (
        <>
          <strong>{words.checking}.</strong> {words.checkingLead}
        </>
      )}
    </p>
  )
}
