import { type ReactNode, useState } from 'react'
import type { WirePersonalData } from '../../server/src/privacy/wire.ts'
import type { Read } from '../../server/src/http/schema.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Confirm } from './confirm.tsx'
import { act } from './request-wallet.ts'
import { useAct } from './use-act.ts'
import { words } from './words.ts'

/** Download what is stored about the user, and delete the account. */
export function PrivacySettings({ onDeleted }: { readonly onDeleted: () => void }): ReactNode {
  const [task, setTask] = useState<'download' | 'delete' | null>(null)
  const close = () => setTask(null)
  return (
    <Card heading={words.settings.privacy}>
      <div className="acts">
        <Button onClick={() => setTask('download')}>{words.settings.download}</Button>
        <Button kind="danger-quiet" onClick={() => setTask('delete')}>
          {words.settings.deleteAccount}
        </Button>
      </div>
      {task === 'download' && <Download onClose={close} />}
      {task === 'delete' && <Delete onClose={close} onDeleted={onDeleted} />}
    </Card>
  )
}

function Download({ onClose }: { readonly onClose: () => void }) {
  const download = useAct<Read<WirePersonalData>>()
  const confirm = (pin: string | undefined) =>
    download.start(
      () => act('/me/export', { pin }),
      (answer) => {
        if ('refusal' in answer) return
        saveJson(answer.data, 'my-data.json')
        onClose()
      },
    )
  return (
    <Dialog heading={words.settings.download} isBusy={download.state !== 'idle'} onClose={onClose}>
      <p className="soft">{words.settings.downloadLead}</p>
      <Confirm label={words.settings.download} act={download} onConfirm={confirm} />
    </Dialog>
  )
}

type DeleteProps = { readonly onClose: () => void; readonly onDeleted: () => void }

function Delete({ onClose, onDeleted }: DeleteProps) {
  const deletion = useAct<null>()
  const confirm = (pin: string | undefined) =>
    deletion.start(
      () => act('/me/erase', { pin }),
      (answer) => {
        if (!('refusal' in answer)) onDeleted()
      },
    )
  return (
    <Dialog heading={words.settings.deleteAccount} isBusy={deletion.state !== 'idle'} onClose={onClose}>
      <p className="soft">{words.settings.deleteLead}</p>
      <Confirm label={words.settings.deleteAccount} act={deletion} onConfirm={confirm} />
    </Dialog>
  )
}

function saveJson(data: unknown, name: string): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
