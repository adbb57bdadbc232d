import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import type { Shift } from '../shell/responses.ts'
import { Money, When } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'

/** Who had the drawer, and its cash. */
export function ShiftFacts({ shift }: { readonly shift: Shift }): ReactNode {
  const { openedBy, openedAt, closedBy, closedAt, openingFloat, expected, counted, difference, note, currency } = shift
  const money = (name: string, value: string | null) =>
    value === null ? [] : [[name, <Money key={name} value={value} code={currency} />] as const]
  return (
    <Facts
      kind="plain"
      rows={[
        [selling.shift.openedBy, openedBy],
        [selling.shift.openedAt, <When key="opened" at={openedAt} />],
        ...(closedAt === ''
          ? [[selling.shift.closedAt, selling.report.open] as const]
          : [
              [selling.shift.closedBy, closedBy] as const,
              [selling.shift.closedAt, <When key="closed" at={closedAt} />] as const,
            ]),
        ...money(selling.shift.openingFloat, openingFloat),
        ...money(selling.shift.expected, expected),
        ...money(selling.shift.counted, counted),
        ...money(selling.shift.difference, difference),
        ...(note === '' ? [] : [[selling.shift.note, note] as const]),
      ]}
    />
  )
}
