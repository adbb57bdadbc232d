import { defineErrors } from '../base/errors.ts'

export const invoiceError = defineErrors({
  INVOICE_NOT_FOUND: { kind: 'not_found', message: 'There is no such invoice.' },
  INVOICE_DECIDED: { kind: 'conflict', message: 'This invoice was decided already.' },
  INVOICE_NOT_PAYABLE: { kind: 'conflict', message: 'This invoice does not wait for payment.' },
  INVOICE_BALANCE_TOO_LOW: { kind: 'insufficient', message: 'Your balance does not cover this invoice.' },
  INVOICE_CURRENCY_REFUSED: { kind: 'unacceptable', message: 'This merchant takes no invoices in this currency.' },
  INVOICE_MERCHANT_FOREIGN: { kind: 'unacceptable', message: 'The merchant code is not the one of the key.' },
  INVOICE_NETWORK_UNKNOWN: { kind: 'unacceptable', message: 'There is no such network.' },
  INVOICE_DATE_INVALID: {
    kind: 'unacceptable',
    message: 'A date is YYYY-MM-DD or RFC 3339, and due not before its date.',
  },
  INVOICE_QUANTITY_INVALID: { kind: 'unacceptable', message: 'A quantity is above zero, with at most six decimals.' },
  INVOICE_EMPTY: { kind: 'unacceptable', message: 'An invoice comes to more than nothing.' },
  INVOICES_TOO_MANY: { kind: 'too_many', message: 'Too many invoices wait already.' },
})
