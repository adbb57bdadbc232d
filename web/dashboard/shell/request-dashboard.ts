import { createRequest } from '../../ui/request.ts'
import type { Answer } from '../../ui/send-request.ts'
import { createKnown } from '../../ui/known.ts'
import { type Act, useAct as useActOf } from '../../ui/use-act.ts'
import { place } from './place.ts'

/** Endpoints that API keys may call too write amounts as JSON numbers. No count that a page reads has one of these names. */
const exactKeys = new Set([
  'amount',
  'balance',
  'total',
  'maxAmount',
  'minAmount',
  'swapAmount',
  'toAmount',
  'processingFee',
  'totalGasAndProceesingFeeInFromCurrency',
  'totalDeductable',
  'chargedAmount',
  'refundedAmount',
  'returnedAmount',
  'value',
  'price',
  'openingFloat',
  'expected',
  'counted',
  'difference',
  'minimumPurchase',
  'redeemChargesFixRate',
  'redeemChargesPercentage',
  'redeemChargesPercentageDiscount',
  'opening',
  'closing',
  'outstanding',
  'valueIn',
  'valueOut',
  'returned',
  'debit',
  'credit',
])

const headers = {
  'scrip-realm': 'staff',
  ...(place !== null && { 'scrip-merchant': place.code, 'scrip-mode': place.mode }),
}

const request = createRequest({ headers, exactKeys })
export const { open } = request

export async function read<Data>(path: string): Promise<Answer<Data>> {
  return checkSession(path, await request.read<Data>(path))
}

export async function act<Data>(...input: Parameters<typeof request.act>): Promise<Answer<Data>> {
  return checkSession(input[0], await request.act<Data>(...input))
}

export async function remove(path: string): Promise<Answer<object>> {
  return checkSession(path, await request.remove(path))
}

/** What customers see of the shop. */
export const brandPath = '/merchant-integrations-server/brand'

/** Shows the sign-in form when the session has ended. The screen behind it stays, also one that checks the outcome of a sale. */
function checkSession<Data>(path: string, response: Answer<Data>): Answer<Data> {
  const isOver = 'refusal' in response && response.refusal.code === 'SESSION_MISSING'
  if (path !== '/me' && isOver) void refresh('/me')
  return response
}

// Tills are shared, so no data is stored beyond the page.
export const { useKnown, usePeek, refresh, refreshShown, forgetAll } = createKnown(read, undefined, (path) =>
  /^\/me\b|fetch-supported|\/brand$/.test(path),
)

export function useAct<Data>(): Act<Data> {
  return useActOf(refreshShown)
}
