import { Delete } from 'lucide-react'
import type { ReactNode } from 'react'
import './keypad.css'

type KeypadProps = {
  /** The key beside the zero, such as a decimal mark. Empty: none. */
  readonly extraKey?: string
  readonly label: string
  readonly deleteLabel: string
  /** A digit or the extra key. */
  readonly onKey: (key: string) => void
  readonly onDelete: () => void
}

/** Keys for fingers. The field keeps the focus, so that a keyboard works too. */
export function Keypad({ extraKey = '', label, deleteLabel, onKey, onDelete }: KeypadProps): ReactNode {
  return (
    <div className="keypad" role="group" aria-label={label}>
      {['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => (
        <Key key={digit} name={digit} onPress={() => onKey(digit)} />
      ))}
      {extraKey === '' ? <span /> : <Key name={extraKey} kind="soft" onPress={() => onKey(extraKey)} />}
      <Key name="0" onPress={() => onKey('0')} />
      <Key name={deleteLabel} kind="soft" onPress={onDelete}>
        <Delete aria-hidden="true" />
      </Key>
    </div>
  )
}

type KeyProps = {
  readonly name: string
  readonly kind?: 'plain' | 'soft'
  readonly onPress: () => void
  readonly children?: ReactNode
}

function Key({ name, kind = 'plain', onPress, children = name }: KeyProps) {
  return (
    <button
      type="button"
      data-kind={kind}
      aria-label={name}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {children}
    </button>
  )
}
