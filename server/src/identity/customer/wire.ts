import Type, { type Static } from 'typebox'
import { cursorFields } from '../../http/schema.ts'

export const customerDetails = {
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
}

/** A customer in the dashboard. */
export const wireOneCustomer = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  name: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})
export type WireOneCustomer = Static<typeof wireOneCustomer>

export const wireCustomerList = Type.Object({
  customers: Type.Array(wireOneCustomer),
  count: Type.Integer({ description: 'Of all customers, whatever is searched for' }),
  ...cursorFields,
})
export type WireCustomerList = Static<typeof wireCustomerList>

export const rowFaults = ['email_invalid', 'email_twice', 'name_missing', 'name_too_long'] as const

/** What an import would do, or did. */
export const wireCustomerImport = Type.Object({
  isDone: Type.Boolean({ description: 'False if the file was only checked, or has faults' }),
  added: Type.Integer({ description: 'New customers' }),
  known: Type.Integer({ description: 'Rows whose address a customer has already. They are left as they are' }),
  faults: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'As a text editor shows it' }),
      fault: Type.Enum(rowFaults),
      other: Type.Integer({ description: 'The line with the same address; 0 otherwise' }),
    }),
    { description: 'The first hundred. With any, nothing is imported' },
  ),
})
export type WireCustomerImport = Static<typeof wireCustomerImport>
