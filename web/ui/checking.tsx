import './checking.css'
import type { Act } from './use-act.ts'

type CheckingProps = Pick<Act<unknown>, 'state'> & {
  readonly words: { readonly checking: string; readonly checkingLead: string }
}

/** The answer was lost, and what became of it is being found out. */
export function Checking({ state, words }: CheckingProps) {
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
