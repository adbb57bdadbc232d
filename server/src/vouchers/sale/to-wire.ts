import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import { toIssuersVoucher, type WireTools } from '../voucher/to-wire.ts'
import type { Sold } from './sell.ts'
import type { Sale } from './store.ts'
import type { WireSale, WireSold } from './wire.ts'

export function toWireSale(sale: Sale, currency: CatalogueCurrency): Wire<WireSale> {
  const { id, kind, voucherId, tender, tenderReference, reason, soldBy, register, location, address, isUndone } = sale
  return {
    ...{ id, kind, voucherId, tender, tenderReference, reason, soldBy, register, location, address, isUndone },
    referenceId: sale.reference,
    codeTail: sale.codeTail ?? '',
    value: wireMoney(sale.value, currency),
    price: wireMoney(sale.price, currency),
    currency: sale.currency,
    shiftId: sale.shiftId ?? '',
    createdAt: sale.createdAt.toISOString(),
  }
}

/** The code is left out unless the caller has just sold the voucher. */
export function toWireSold(
  { sale, issued }: Sold,
  tools: WireTools,
  { showsCode }: { readonly showsCode: boolean },
): Wire<WireSold> {
  const { voucher, currency, code, onchain } = issued
  return {
    sale: toWireSale(sale, currency),
    voucher: toIssuersVoucher(voucher, showsCode ? code : '', currency, tools, onchain),
  }
}
