import { writeCount } from './write-count.ts'

export type CustomerWords = typeof enOfCustomers

/** The customers of the shop. */
export const enOfCustomers = {
  heading: 'Customers',
  lead: (count: number): string => (count === 1 ? '1 customer' : `${writeCount(count)} customers`),
  caption: 'Customers, newest first',
  search: 'Search customers',
  searchHint: 'Any part of a name or an email address.',
  name: 'Name',
  email: 'Email',
  added: 'Added',
  none: 'No customers yet',
  noneLead: 'Add one, import a file, or let your software add them with the API.',
  noneFound: 'No results',
  noneFoundLead: 'Check the spelling, or search for a shorter part.',
  add: 'Add customer',
  edit: 'Edit customer',
  save: 'Save customer',
  addDone: (name: string): string => `${name} added.`,
  saved: 'Customer saved.',
  nameMissing: 'Enter a name.',
  emailInvalid: 'Enter an email address.',
  remove: 'Delete customer',
  removeLead: 'The name and the address are deleted. Payments and vouchers stay: they are part of your books.',
  removed: (name: string): string => `${name} deleted.`,
  payments: 'Payments',
  paymentsLead: 'Payments from a wallet with this address.',
  noPayments: 'No payments from a wallet with this address.',
  allPayments: 'All payments',
  vouchers: 'Vouchers',
  vouchersCaption: 'Vouchers sent to this address or in a wallet with it, newest first',
  noVouchers: 'No vouchers sent to this address.',
  allVouchers: 'All vouchers',
  import: {
    open: 'Import',
    heading: 'Import customers',
    lead: 'The file is checked first. Addresses that a customer already has are skipped.',
    format: 'The first line must name the columns: email and name. At most 10,000 rows.',
    file: 'Choose a file',
    paste: 'Or paste it here',
    missing: 'Choose a file, or paste its content.',
    check: 'Check file',
    valid: (added: number, known: number): string =>
      `${added === 1 ? '1 new customer' : `${writeCount(added)} new customers`}. ${
        known === 0 ? 'The file has no errors.' : `${writeCount(known)} already in your list, skipped.`
      }`,
    nothingNew: 'All of these addresses are in your list already.',
    faults: (count: number): string =>
      count === 1 ? '1 line needs fixing:' : `${writeCount(count)} lines need fixing:`,
    line: 'Line',
    reason: 'What is wrong',
    reasons: {
      email_invalid: 'This is not an email address.',
      name_missing: 'The name is missing.',
      name_too_long: 'The name has more than 200 characters.',
    },
    twice: (line: number): string => `The address is the same as in line ${line}.`,
    act: (count: number): string => (count === 1 ? 'Import 1 customer' : `Import ${writeCount(count)} customers`),
    done: (added: number): string =>
      added === 1 ? '1 customer imported.' : `${writeCount(added)} customers imported.`,
  },
  file: 'customers.csv',
}
