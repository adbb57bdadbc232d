import { useState, type ReactNode } from 'react'
import { Field } from '../../ui/field.tsx'
import { TextArea } from '../../ui/text-area.tsx'
import type { Location } from '../shell/responses.ts'
import { act, remove } from '../shell/request-dashboard.ts'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'

export const locationsPath = '/merchant-integrations-server/locations'

type DialogProps = {
  /** With what was done. */
  readonly onDone: (text: string) => void
  readonly onClose: () => void
}

const linesMax = 6

type EditLocationProps = DialogProps & {
  /** Undefined: a new one. */
  readonly location: Location | undefined
}

export function EditLocation({ location, onDone, onClose }: EditLocationProps): ReactNode {
  const [name, setName] = useState(location?.name ?? '')
  const [address, setAddress] = useState(location?.address ?? '')
  const faults = useFaults({
    ...(name.trim() === '' && { name: selling.locations.nameMissing }),
    ...(address.trim().split('\n').length > linesMax && { address: words.refusals.ADDRESS_TOO_LONG }),
  })
  const isNew = location === undefined
  const path = isNew ? locationsPath : `${locationsPath}/${location.id}`
  return (
    <TaskDialog
      heading={isNew ? selling.locations.add : selling.locations.editOf(location.name)}
      label={isNew ? selling.locations.add : selling.locations.save}
      check={faults.check}
      perform={() => act(path, { name: name.trim(), address: address.trim() })}
      onDone={() => onDone(isNew ? selling.locations.added : selling.locations.saved)}
      onClose={onClose}
    >
      <Field
        label={selling.locations.name}
        hint={selling.locations.nameHint}
        error={faults.of('name')}
        autoComplete="off"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextArea
        label={selling.locations.address}
        hint={selling.locations.addressHint}
        error={faults.of('address')}
        rows={3}
        maxLength={300}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
    </TaskDialog>
  )
}

type AddRegisterProps = DialogProps & { readonly location: Location }

export function AddRegister({ location, onDone, onClose }: AddRegisterProps): ReactNode {
  const [name, setName] = useState('')
  const faults = useFaults(name.trim() === '' ? { name: selling.locations.nameMissing } : {})
  return (
    <TaskDialog
      heading={selling.locations.addRegisterAt(location.name)}
      label={selling.locations.addRegister}
      check={faults.check}
      perform={() => act(`${locationsPath}/${location.id}/registers`, { name: name.trim() })}
      onDone={() => onDone(selling.locations.registerAdded)}
      onClose={onClose}
    >
      <Field
        label={selling.locations.registerName}
        hint={selling.locations.registerHint}
        error={faults.of('name')}
        autoComplete="off"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </TaskDialog>
  )
}

type RemoveProps = DialogProps & { readonly path: string; readonly name: string; readonly lead: string }

/** Removes a location or a register. */
export function Remove({ path, name, lead, onDone, onClose }: RemoveProps): ReactNode {
  return (
    <TaskDialog
      heading={selling.locations.removeHeading(name)}
      label={selling.locations.remove}
      isDanger
      perform={() => remove(path)}
      onDone={() => onDone(selling.locations.removed)}
      onClose={onClose}
    >
      <p>{lead}</p>
    </TaskDialog>
  )
}
