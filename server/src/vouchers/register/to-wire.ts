import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import type { LocationWithRegisters } from './manage-locations.ts'
import type { Shift } from './shift-store.ts'
import type { WireLocation, WireShift } from './wire.ts'

export function toWireLocation({ id, name, address, registers }: LocationWithRegisters): WireLocation {
  return { id, name, address, registers: registers.map((register) => ({ id: register.id, name: register.name })) }
}

export function toWireShift(shift: Shift, currency: CatalogueCurrency): Wire<WireShift> {
  const { expected, counted } = shift
  const difference = expected === null || counted === null ? null : counted - expected
  const orNull = (minor: bigint | null) => (minor === null ? null : wireMoney(minor, currency))
  return {
    id: shift.id,
    registerId: shift.registerId,
    register: shift.register,
    location: shift.location,
    currency: shift.currency,
    openingFloat: wireMoney(shift.openingFloat, currency),
    openedBy: shift.openedByName,
    openedAt: shift.openedAt.toISOString(),
    closedBy: shift.closedByName,
    closedAt: shift.closedAt?.toISOString() ?? '',
    expected: orNull(expected),
    counted: orNull(counted),
    difference: orNull(difference),
    note: shift.note,
  }
}
