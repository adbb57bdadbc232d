import { createAsk } from '../ui/ask.ts'
import type { Answer } from '../ui/ask-server.ts'
import { isHeld } from '../ui/hold.ts'
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
export const { open } = ask

export async function read<Data>(path: string): Promise<Answer<Data>> {
  return noticeEnd(path, await ask.read<Data>(path))
}

export async function act<Data>(...asked: Parameters<typeof ask.act>): Promise<Answer<Data>> {
  return noticeEnd(asked[0], await ask.act<Data>(...asked))
}

/** Whose session is over signs in again, and finds the same screen. Whether it is over is told by one answer alone. */
function noticeEnd<Data>(path: string, answer: Answer<Data>): Answer<Data> {
  const isOver = 'refusal' in answer && answer.refusal.code === 'SESSION_MISSING'
  // Not while it is not known what became of a sale: the page that finds out stays.
  if (path !== '/me' && isOver && !isHeld()) void refresh('/me')
  return answer
}

// A till is shared: nothing is kept when the page is closed.
export const { useKnown, usePeek, refresh, refreshShown, forgetAll } = createKnown(read, undefined, (path) =>
  /^\/me\b|fetch-supported/.test(path),
)

export function useAct<Data>(): Act<Data> {
  return useActOf(refreshShown)
}
