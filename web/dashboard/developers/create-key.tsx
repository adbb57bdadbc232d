import { type ReactNode, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act } from '../shell/request-dashboard.ts'
import type { ApiKey, MadeKey } from '../shell/responses.ts'
import { sayRefusal } from './say-refusal.ts'
import { developers } from '../words/developers.ts'
import { ConfirmedDialog } from '../parts/task-dialog.tsx'

const text = developers.keys
const originForm = /^https?:\/\/[^/?#@\s]+$/

type CreateKeyProps = { readonly onDone: (key: MadeKey) => void; readonly onClose: () => void }

export function CreateKey({ onDone, onClose }: CreateKeyProps): ReactNode {
  const [kind, setKind] = useState<ApiKey['kind']>('secret')
  const [name, setName] = useState('')
  const [typed, setTyped] = useState('')
  const origins = typed
    .split('\n')
    .map((line) => line.trim().replace(/\/$/, ''))
    .filter((line) => line !== '')
  const faults = useFaults({
    ...(name.trim() === '' && { name: text.nameMissing }),
    ...(kind === 'public' && origins.some((each) => !originForm.test(each)) && { origins: text.originsInvalid }),
  })
  return (
    <ConfirmedDialog<MadeKey>
      describe={sayRefusal}
      heading={text.create}
      label={text.create}
      check={faults.check}
      perform={(confirmed) =>
        act('/merchant/keys', {
          ...{ kind, name: name.trim() },
          ...(kind === 'public' && origins.length > 0 && { origins }),
          ...confirmed,
        })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <Field
        label={text.name}
        hint={text.nameHint}
        error={faults.of('name')}
        autoComplete="off"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Segmented
        label={text.kind}
        value={kind}
        options={(['secret', 'public'] as const).map((each) => [each, text.kinds[each]])}
        onChoose={setKind}
        isWide
      />
      {kind === 'public' && (
        <TextArea
          label={text.origins}
          hint={text.originsHint}
          error={faults.of('origins')}
          rows={2}
          maxLength={2_000}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </ConfirmedDialog>
  )
}
