import { conflict, defineErrors, insufficient, notFound, unacceptable } from '../../base/errors.ts'

export const invoiceError = defineErrors({
  INVOICE_NOT_FOUND: notFound('No invoice has this id.'),
  INVOICE_LINK_ENDED: notFound('This link has expired or was revoked. Ask the merchant about the invoice.'),
  INVOICE_TOO_LARGE: unacceptable('A price, a line or the total exceeds 1,000,000,000,000.'),
  INVOICE_DECIDED: conflict('This invoice has already been approved or rejected.'),
  INVOICE_NOT_PAYABLE: conflict('This invoice is not awaiting payment.'),
  INVOICE_PAYMENT_WAITING: conflict('The payment of this invoice is awaiting approval.'),
  INVOICE_BALANCE_TOO_LOW: insufficient('Your balance does not cover this invoice.'),
  INVOICE_CURRENCY_REFUSED: unacceptable('This merchant does not accept invoices in this currency.'),
  INVOICE_MERCHANT_FOREIGN: unacceptable('The merchant code does not belong to this key.'),
  INVOICE_NETWORK_UNKNOWN: unacceptable('This network does not exist.'),
  INVOICE_DATE_INVALID: unacceptable(
    'Enter dates as YYYY-MM-DD or RFC 3339, with a due date on or after the invoice date.',
  ),
  INVOICE_QUANTITY_INVALID: unacceptable('A quantity must be greater than zero, with at most six decimals.'),
  INVOICE_TAX_INVALID: unacceptable('A tax rate must be from 0 to 100 percent, with at most three decimals.'),
  INVOICE_TOTAL_DIFFERS: unacceptable(
    'The total is not the sum of the lines and the taxes. Leave it out, or correct it.',
  ),
  INVOICE_ADDRESS_INVALID: unacceptable('A postal address has at most 8 lines.'),
  INVOICE_NUMBER_TAKEN: conflict('You have already sent an invoice with this number to this merchant.'),
  INVOICE_EMPTY: unacceptable('The total must be greater than zero.'),
  INVOICES_TOO_MANY: conflict('Too many invoices are pending. Try again after some have been decided.'),
  INVOICES_REFUSED: unacceptable('This merchant does not accept invoices.'),
  INVOICE_FILE_INVALID: unacceptable('The file is not a PDF, PNG or JPEG file.'),
  INVOICE_FILE_TOO_LARGE: unacceptable('The file exceeds 2 MB.'),
  INVOICE_FILE_GONE: unacceptable('An attached file is no longer there. Upload it again.'),
  INVOICE_FILES_TOO_MANY: conflict(
    'Too many files wait for this merchant. Send the invoice without files, or try again tomorrow.',
  ),
  INVOICE_ATTACHMENT_NOT_FOUND: notFound('This invoice has no attachment with this id.'),
})
