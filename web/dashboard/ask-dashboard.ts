import { createAsk } from '../ui/ask.ts'
import type { Answer } from '../ui/ask-server.ts'
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

const ask = createAsk({ headers, exactKeys })
export const { read, open } = ask

/** Whose session is over signs in again, and finds the same screen. */
export async function act<Data>(...asked: Parameters<typeof ask.act>): Promise<Answer<Data>> {
  const answer = await ask.act<Data>(...asked)
  if ('refusal' in answer && answer.refusal.code === 'SESSION_MISSING') void refresh('/me')
  return answer
}

// A till is shared: nothing is kept when the page is closed.
export const { useKnown, usePeek, refresh, refreshShown, forgetAll } = createKnown(read)

export function useAct<Data>(): Act<Data> {
  return useActOf(refreshShown)
}
