import { type ReactNode, useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { useFaults } from '../parts/use-faults.ts'
import { act } from '../shell/request-dashboard.ts'
import type { Role } from '../shell/responses.ts'
import { staffing } from '../words/staffing.ts'
import { SecondFactorDialog } from '../parts/task-dialog.tsx'
import { RoleChoice } from './role-choice.tsx'
import { teamPath } from './team-path.ts'

type InviteMemberProps = { readonly onDone: (text: string) => void; readonly onClose: () => void }

export function InviteMember({ onDone, onClose }: InviteMemberProps): ReactNode {
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState<Role>('cashier')
  const email = typed.trim()
  const faults = useFaults(/^[^\s@]+@[^\s@]+$/.test(email) ? {} : { email: staffing.emailMissing })
  return (
    <SecondFactorDialog
      heading={staffing.invite}
      label={staffing.sendInvitation}
      check={faults.check}
      perform={(confirmation) => act(teamPath, { email, role, ...confirmation })}
      onDone={() => onDone(staffing.invited(email))}
      onClose={onClose}
    >
      <p className="soft">{staffing.inviteLead}</p>
      <Field
        label={staffing.email}
        error={faults.of('email')}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <RoleChoice label={staffing.role} value={role} onChoose={setRole} />
    </SecondFactorDialog>
  )
}
