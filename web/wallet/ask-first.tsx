import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { words } from './words.ts'

type AskFirstProps = {
  /** The question, with what follows from the act. */
  readonly heading: string
  readonly lead: string
  readonly act: string
  /** The label of the button that changes nothing. */
  readonly keep: string
  readonly isBusy: boolean
  readonly onAct: () => void
  readonly onClose: () => void
}

/** The last step of an act that destroys something. */
export function AskFirst({ heading, lead, act, keep, isBusy, onAct, onClose }: AskFirstProps): ReactNode {
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{lead}</p>
      <div className="acts">
        <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          {keep}
        </Button>
        <Button kind="danger" aria-disabled={isBusy} onClick={() => isBusy || onAct()}>
          {isBusy ? words.oneMoment : act}
        </Button>
      </div>
    </Dialog>
  )
}
