import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'

const colours = [
  'paper',
  'paper-deep',
  'sheet',
  'sheet-soft',
  'sheet-raised',
  'shade',
  'shade-strong',
  'ink',
  'ink-soft',
  'ink-faint',
  'line',
  'line-strong',
  'line-control',
  'green',
  'green-fill',
  'green-wash',
  'red',
  'red-fill',
  'red-wash',
  'amber',
  'amber-wash',
  'blue',
  'blue-wash',
  'test-line',
  'chart-1',
  'chart-2',
  'chart-3',
]

const sizes = ['11', '12', '13', '14', '16', '18', '20', '24', '32', '44']

export function Tokens(): ReactNode {
  return (
    <>
      <Card heading="Colour">
        <div className="components-line">
          {colours.map((name) => (
            <span key={name} className="components-colour">
              <span style={{ background: `var(--${name})` }} />
              {name}
            </span>
          ))}
        </div>
      </Card>
      <Card heading="Type">
        <div className="components-line">
          {sizes.map((size) => (
            <span key={size} style={{ fontSize: `var(--text-${size})` }}>
              {size} $1,234.50
            </span>
          ))}
          <code>J1NZ-V91P-CXQJ-9YH9</code>
        </div>
      </Card>
    </>
  )
}
