import Type, { type Static } from 'typebox'
import { money, named } from '../../http/schema.ts'

const wireRegister = named('Register', {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
})

const wireLocation = named('Location', {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  address: Type.String({ description: 'For receipts. At most 6 lines, separated by line feeds' }),
  registers: Type.Array(wireRegister),
})
export type WireLocation = Static<typeof wireLocation>

export const wireLocations = Type.Object({ locations: Type.Array(wireLocation) })

const text = Type.String()

/** A shift, for our own pages. */
export const wireShift = Type.Object({
  id: text,
  registerId: text,
  register: text,
  location: text,
  currency: text,
  openingFloat: money(),
  openedBy: text,
  openedAt: text,
  closedBy: Type.String({ description: 'Empty while it is open' }),
  closedAt: text,
  expected: Type.Union([money('What should be in the drawer'), Type.Null()]),
  counted: Type.Union([money(), Type.Null()]),
  difference: Type.Union([money('Counted minus expected'), Type.Null()]),
  note: text,
})
export type WireShift = Static<typeof wireShift>
