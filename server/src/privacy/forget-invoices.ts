import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { forgetInvoiceSenders } from './store.ts'

type ForgetTools = { readonly pool: Pool; readonly clock: Clock; readonly invoiceRetentionYears: number }

const invoicesAtOnce = 500

/** Erases the senders of invoices that were decided so many years ago. */
export function createForgetInvoices({ pool, clock, invoiceRetentionYears }: ForgetTools): () => Promise<boolean> {
  return async () => {
    const before = clock()
    before.setUTCFullYear(before.getUTCFullYear() - invoiceRetentionYears)
    return (await forgetInvoiceSenders(pool, before, invoicesAtOnce)) === invoicesAtOnce
  }
}
