import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'

type SecretDialogProps = {
  readonly heading: string
  readonly lead: string
  readonly secret: string
  readonly copy: string
  readonly stored: string
  readonly onClose: () => void
}

/** A key or a secret that is shown once. */
export function SecretDialog({ heading, lead, secret, copy, stored, onClose }: SecretDialogProps): ReactNode {
  return (
    <Dialog heading={heading} onClose={onClose}>
      <Notice kind="wait">{lead}</Notice>
      <code className="secret">{secret}</code>
      <div className="acts">
        <CopyButton text={secret} label={copy} />
        <Button kind="main" onClick={onClose}>
          {stored}
        </Button>
      </div>
    </Dialog>
  )
}
