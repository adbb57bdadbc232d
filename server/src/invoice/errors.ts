import { conflict, defineErrors, insufficient, notFound, tooMany, unacceptable } from '../base/errors.ts'

export const invoiceError = defineErrors({
  INVOICE_NOT_FOUND: notFound('There is no such invoice.'),
  INVOICE_DECIDED: conflict('This invoice was decided already.'),
  INVOICE_NOT_PAYABLE: conflict('This invoice does not wait for payment.'),
  INVOICE_PAYMENT_WAITING: conflict('The payment of this invoice waits for approval.'),
  INVOICE_BALANCE_TOO_LOW: insufficient('Your balance does not cover this invoice.'),
  INVOICE_CURRENCY_REFUSED: unacceptable('This merchant takes no invoices in this currency.'),
  INVOICE_MERCHANT_FOREIGN: unacceptable('The merchant code is not the one of the key.'),
  INVOICE_NETWORK_UNKNOWN: unacceptable('There is no such network.'),
  INVOICE_DATE_INVALID: unacceptable('A date is YYYY-MM-DD or RFC 3339, and due not before its date.'),
  INVOICE_QUANTITY_INVALID: unacceptable('A quantity is above zero, with at most six decimals.'),
  INVOICE_EMPTY: unacceptable('An invoice comes to more than nothing.'),
  INVOICES_TOO_MANY: tooMany('Too many invoices wait already.'),
})
