import { conflict, defineErrors, forbidden, notFound, unacceptable } from '../../base/errors.ts'

export const saleError = defineErrors({
  SALE_NOT_FOUND: notFound('You have no voucher sale with this id.'),
  SALE_PRICE_ABOVE_VALUE: unacceptable('The price is higher than the value that is sold.'),
  SALE_PRICE_MISSING: unacceptable('The price is 0. Sell it with the tender "free", and say why.'),
  SALE_FREE_HAS_PRICE: unacceptable('A free voucher has no price. Leave it out, or choose another tender.'),
  SALE_REASON_MISSING: unacceptable('Say why the voucher is free.'),
  SALE_TENDER_REFERENCE_MISSING: unacceptable('Say how it was paid: the tender "other" needs a reference.'),
  SALE_AMOUNT_MISSING: unacceptable('Enter the amount. Only a card with a printed amount can be sold without one.'),
  SALE_AMOUNT_FIXED: unacceptable('This card is printed with another amount.'),
  SALE_CURRENCY: unacceptable('This voucher has another currency.'),
  SALE_ABOVE_DAILY: unacceptable(
    'This exceeds what this key or staff member may sell in 24 hours. An owner can raise the limit.',
  ),
  CARD_SOLD: conflict('This card was sold already. Reload it instead.'),
  CARD_NOT_FOR_SALE: conflict('This voucher is no card of a batch that waits to be sold.'),
  VOUCHER_NOT_STORE: conflict('Only a store voucher of your own can be reloaded or paid back.'),
  VOUCHER_NOT_SOLD: conflict('This voucher was not sold for money, so nothing is paid back.'),
  SALE_UNDONE: conflict('This sale was undone already.'),
  SALE_USED: conflict('The voucher was used since. Pay back what is left of it instead.'),
  CASH_BACK_CHANGED: conflict('The voucher was used meanwhile. Ask for the price again.'),
  SALE_NOT_UNDOABLE: unacceptable('Only a sale or a reload can be undone.'),
  SALE_CARD_NEEDED: forbidden('Scan the card that the customer returns, or ask the owner.'),
  SALE_VOID_LATE: forbidden('A cashier can undo a sale for 15 minutes. Ask the owner.'),
  GIFT_IS_CARD: unacceptable(
    'A card is handed over at the till. Leave out the gift, or sell a voucher without a card.',
  ),
  GIFT_NOT_FOUND: notFound('This voucher is not a gift that is sent by email.'),
  RULES_ON_CARD: unacceptable('A card has the rules of its batch. Leave out the rules.'),
  GIFT_DATE_INVALID: unacceptable(
    'Enter a future time within a year and before the voucher expires, such as 2030-12-24T08:00:00Z.',
  ),
  GIFT_ADDRESS_FIXED: forbidden('Only an owner or an accountant can send a gift to another address.'),
  GIFT_SENT_OFTEN: conflict('This gift was sent ten times.'),
  GIFT_ENDED: conflict('This gift can no longer be sent: its voucher was cancelled or replaced.'),
})
