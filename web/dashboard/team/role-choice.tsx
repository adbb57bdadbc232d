import { type ReactNode, useId } from 'react'
import type { Role } from '../shell/responses.ts'
import { staffing } from '../words/staffing.ts'
import { words } from '../words/words.ts'

const roles: readonly Role[] = ['cashier', 'accountant', 'developer', 'owner']

type RoleChoiceProps = { readonly label: string; readonly value: Role; readonly onChoose: (role: Role) => void }

/** The roles, each with what it may do. */
export function RoleChoice({ label, value, onChoose }: RoleChoiceProps): ReactNode {
  const id = useId()
  return (
    <fieldset className="team-roles">
      <legend className="field-label">{label}</legend>
      {roles.map((role) => (
        <label key={role} className="team-role">
          <input
            type="radio"
            name={id}
            value={role}
            checked={role === value}
            aria-describedby={`${id}-${role}`}
            onChange={() => onChoose(role)}
          />
          <span>
            {words.shop.roles[role]}
            <span className="soft" id={`${id}-${role}`}>
              {staffing.rights[role]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
