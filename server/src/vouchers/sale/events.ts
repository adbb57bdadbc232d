import Type from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { defineEvents, type Event } from '../../ledger/event.ts'
import type { NewSale } from './store.ts'
import { tenders } from './wire.ts'

const amount = Type.String({ description: 'In major units, exact to the last digit' })
const sale = Type.Object({
  saleId: Type.String({ format: 'uuid' }),
  voucherId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  value: amount,
  price: amount,
  currency: Type.String(),
  tender: Type.Enum([...tenders]),
})

const saleEvent = defineEvents({
  'voucher.sold': { summary: 'A store voucher was sold, or a card was activated.', data: sale },
  'voucher.reloaded': { summary: 'A store voucher was reloaded.', data: sale },
  'voucher.sale_voided': { summary: 'A sale or a reload was undone.', data: sale },
  'voucher.paid_back': {
    summary: 'What was left of a store voucher was paid back. The voucher is closed.',
    data: sale,
  },
})

const types = {
  sale: 'voucher.sold',
  reload: 'voucher.reloaded',
  void: 'voucher.sale_voided',
  cash_back: 'voucher.paid_back',
} as const

/** About the sale itself: its voucher may have another event in the same journal. */
export function saleRecorded(row: NewSale, currency: CatalogueCurrency): Event {
  const { environmentId, id, kind, voucherId, reference, value, price, tender } = row
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  const to = { environmentId, about: { id, sequence: 1 } }
  const prices = { value: money(value), price: money(price), currency: currency.code }
  return saleEvent(types[kind], to, { saleId: id, voucherId, reference, ...prices, tender })
}
