import { createAsk } from '../ui/ask.ts'
import { createKnown } from '../ui/known.ts'
import { type Act, useAct as useActOf } from '../ui/use-act.ts'
import { place } from './place.ts'

/** In what keys may ask for too, amounts are numbers. */
const exactKeys = new Set([
  ...['amount', 'balance', 'total', 'maxAmount', 'minAmount'],
  ...['swapAmount', 'toAmount', 'processingFee', 'totalDeductable'],
])

const headers = {
  'scrip-realm': 'staff',
  ...(place !== null && { 'scrip-merchant': place.code, 'scrip-mode': place.mode }),
}

export const { read, act, open } = createAsk({ headers, exactKeys })

// A till is shared: nothing is kept when the page is closed.
export const { useKnown, usePeek, refresh, refreshShown, forgetAll } = createKnown(read)

export function useAct<Data>(): Act<Data> {
  return useActOf(refreshShown)
}
