import { type ReactNode, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act } from '../shell/request-dashboard.ts'
import type { Customer } from '../shell/responses.ts'
import { customerWords } from '../words/customer-words.ts'

const server = '/merchant-integrations-server'

type EditCustomerProps = {
  /** Undefined: a new one. */
  readonly customer: Customer | undefined
  /** With the name. */
  readonly onDone: (name: string) => void
  readonly onClose: () => void
}

export function EditCustomer({ customer, onDone, onClose }: EditCustomerProps): ReactNode {
  const [name, setName] = useState(customer?.name ?? '')
  const [email, setEmail] = useState(customer?.email ?? '')
  const typed = { name: name.trim(), email: email.trim() }
  const faults = useFaults({
    ...(typed.name === '' && { name: customerWords.nameMissing }),
    ...(!/^[^\s@]+@[^\s@]+$/.test(typed.email) && { email: customerWords.emailInvalid }),
  })
  const isNew = customer === undefined
  const save = () =>
    isNew ? act(`${server}/add-new-customer`, typed) : act(`${server}/update-customer`, { id: customer.id, ...typed })
  return (
    <TaskDialog
      heading={isNew ? customerWords.add : customerWords.edit}
      label={isNew ? customerWords.add : customerWords.save}
      check={faults.check}
      perform={save}
      onDone={() => onDone(typed.name)}
      onClose={onClose}
    >
      <Field
        label={customerWords.name}
        error={faults.of('name')}
        autoComplete="off"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field
        label={customerWords.email}
        error={faults.of('email')}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </TaskDialog>
  )
}
