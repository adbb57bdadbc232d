import Type, { type Static } from 'typebox'
import { cursorFields, money, named, wireAmount } from '../../http/schema.ts'
import { wireLanguage } from '../../mail/words.ts'
import { wireReference } from '../../payments/transaction/wire.ts'
import { issueTerms, lockPin, wireVoucher } from '../voucher/wire.ts'

export const saleKinds = ['sale', 'reload', 'void', 'cash_back'] as const
export const tenders = ['cash', 'card', 'bank', 'other', 'free'] as const
export type Tender = (typeof tenders)[number]

/** How money is given back. */
const paybackTenders = ['cash', 'card', 'bank', 'other'] as const

const tender = Type.Enum([...tenders], { title: 'Tender', description: 'How the customer paid you' })

const atRegister = {
  registerId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Where it was sold. Cash is counted in the open shift of the register',
    }),
  ),
  referenceId: Type.Optional(wireReference),
}

const tenderReference = Type.String({ maxLength: 120, description: 'Such as the number of the card receipt' })
const reason = Type.String({ maxLength: 500 })

/** What the shop took for the value. */
const saleTerms = {
  price: Type.Optional(wireAmount('What the customer paid, if it is less than the amount')),
  tender,
  tenderReference: Type.Optional(tenderReference),
  reason: Type.Optional(reason),
  ...atRegister,
}

export const voucherCode = Type.String({ minLength: 1, maxLength: 64 })

const giftFields = Type.Object(
  {
    email: Type.String({ format: 'email', maxLength: 254 }),
    sender: Type.Optional(Type.String({ maxLength: 100, description: 'Who gives it' })),
    message: Type.Optional(Type.String({ maxLength: 500 })),
    sendAt: Type.Optional(Type.String({ maxLength: 40, description: 'A time within a year. At once if left out' })),
    language: Type.Optional(wireLanguage),
  },
  { additionalProperties: false, description: 'Sends the voucher by email' },
)

export const saleBody = {
  amount: Type.Optional(wireAmount('What the voucher is worth. Leave it out for a card with a printed amount')),
  currency: issueTerms.currency,
  ...saleTerms,
  voucherCode: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'The card of an inactive batch that is sold' }),
  ),
  lockPin: Type.Optional(lockPin),
  expiresAt: issueTerms.expiresAt,
  rules: issueTerms.rules,
  gift: Type.Optional(giftFields),
}

export const reloadBody = { voucherCode, amount: wireAmount('What is added to the voucher'), ...saleTerms }

export const paybackFields = {
  reason: Type.Optional(reason),
  ...atRegister,
}

export const cashBackBody = {
  voucherCode,
  lockPin: Type.Optional(lockPin),
  tender: Type.Enum([...paybackTenders], { description: 'How you pay it back' }),
  tenderReference: Type.Optional(tenderReference),
  ...paybackFields,
}

export const wireSale = named('VoucherSale', {
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum([...saleKinds], {
    title: 'VoucherSaleKind',
    description: 'void undoes a sale, cash_back pays back the rest',
  }),
  referenceId: Type.String(),
  voucherId: Type.String({ format: 'uuid' }),
  codeTail: Type.String({ description: 'The last characters of the code' }),
  value: money('What came onto the voucher, or was taken off it'),
  price: money('What you took, or gave back'),
  currency: Type.String(),
  tender,
  tenderReference: Type.String(),
  reason: Type.String(),
  soldBy: Type.String({ description: 'The staff member. Empty for a key' }),
  register: Type.String(),
  location: Type.String(),
  address: Type.String({ description: 'Of the location, for the receipt' }),
  shiftId: Type.String({ description: 'Empty outside a shift' }),
  isUndone: Type.Boolean({ description: 'True if a void has undone it' }),
  createdAt: Type.String({ format: 'date-time' }),
})
export type WireSale = Static<typeof wireSale>

/** A sale with the voucher as it is now. The code is shown to the seller only. */
export const wireSold = named('SoldVoucher', { sale: wireSale, voucher: wireVoucher })
export type WireSold = Static<typeof wireSold>

/** A scanned voucher, for our own pages. */
export const wireStoreVoucher = Type.Object({
  voucher: wireVoucher,
  undoable: Type.Union([wireSale, Type.Null()], { description: 'The sale or reload that can be undone now' }),
})
export type WireStoreVoucher = Static<typeof wireStoreVoucher>

export const wireSales = Type.Object({ sales: Type.Array(wireSale), ...cursorFields })
export type WireSales = Static<typeof wireSales>

export const wireCashBackOffer = named('CashBackOffer', {
  value: money('What is left on the voucher'),
  price: money('What is paid back: the price paid × what is left ÷ the value sold, rounded down'),
  currency: Type.String(),
})
export type WireCashBackOffer = Static<typeof wireCashBackOffer>

const limitText = Type.String({ description: 'In major units of the home currency, or "none"' })
const sellerLimits = { key: limitText, owner: limitText, accountant: limitText, cashier: limitText }
/** For our own pages. */
export const wireSaleLimits = Type.Object({ currency: Type.String(), ...sellerLimits })
export type WireSaleLimits = Static<typeof wireSaleLimits>
