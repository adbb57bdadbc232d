import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { checkForm, onSubmit } from '../parts/use-faults.ts'
import { useAct } from '../shell/request-dashboard.ts'
import { words } from '../words/words.ts'
import { sayRefusal } from './say-refusal.ts'

type SandboxAct<Data> = {
  readonly label: string
  readonly perform: (key: string) => Promise<Answer<Data>>
  /** What happened. */
  readonly say: (data: Data) => ReactNode
}

type SandboxFormProps<Data> = {
  readonly heading: string
  readonly lead: string
  readonly check: () => boolean
  /** The first is the usual one: Enter does it. */
  readonly acts: readonly [SandboxAct<Data>, ...SandboxAct<Data>[]]
  readonly children: ReactNode
}

/** A card with one thing that can be done with test data. */
export function SandboxForm<Data>({ heading, lead, check, acts, children }: SandboxFormProps<Data>): ReactNode {
  const { state, done, refusal, start, again } = useAct<{ readonly said: ReactNode }>()
  const isBusy = state !== 'idle'
  const perform = (form: HTMLElement, { perform: send, say }: SandboxAct<Data>): void => {
    if (isBusy || !checkForm(form, check)) return
    again()
    start(async (key) => {
      const answer = await send(key)
      return 'refusal' in answer ? answer : { data: { said: say(answer.data) } }
    })
  }
  const [usual, ...others] = acts
  return (
    <Card heading={heading}>
      <form className="fields" noValidate aria-label={heading} onSubmit={onSubmit((form) => perform(form, usual))}>
        <p className="soft">{lead}</p>
        {children}
        <div role="status">{done !== null && !isBusy && <Notice kind="done">{done.said}</Notice>}</div>
        {refusal !== null && !isBusy && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
        <div className="acts">
          <Button type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : usual.label}
          </Button>
          {others.map((each) => (
            <Button
              key={each.label}
              aria-disabled={isBusy}
              onClick={({ currentTarget }) => currentTarget.form !== null && perform(currentTarget.form, each)}
            >
              {each.label}
            </Button>
          ))}
        </div>
      </form>
    </Card>
  )
}
