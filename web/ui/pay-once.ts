import { unreachable } from './request.ts'
import type { Answer } from './send-request.ts'

export type Stage = 'sending' | 'checking'

type Perform<Data> = (key: string) => Promise<Answer<Data>>

/**
 * Sends a request and returns its outcome, or undefined if another one is under way. `onStage` learns that it is sent, and that its
 * response was lost and its outcome is being checked.
 */
export type PayOnce = <Data>(
  perform: Perform<Data>,
  onStage: (stage: Stage) => void,
) => Promise<Answer<Data> | undefined>

type PayOnceTools = {
  readonly newKey: () => string
  readonly wait: (ms: number) => Promise<void>
  /** Keeps the user on the page until the returned function is called: only this page learns the outcome. */
  readonly hold: () => () => void
}

const retryMs = 2_000
/** Refusals that come before the server looks up the idempotency key: they do not say whether an earlier attempt succeeded. */
const inconclusiveCodes = new Set([
  unreachable,
  'RATE_LIMITED',
  'TOO_MANY_TRIES',
  'VOUCHER_GUESSING',
  'SESSION_MISSING',
  'ROLE_FORBIDDEN',
  'TILL_ONLY',
  'MERCHANT_NOT_FOUND',
  'ROUTE_NOT_FOUND',
])

/**
 * Sends requests that move money. If a response is lost, the request is repeated with the same idempotency key until the server says
 * whether it succeeded. Only then does the next request get a new key.
 */
export function createPayOnce({ newKey, wait, hold }: PayOnceTools): PayOnce {
  let key = newKey()
  let isBusy = false
  return async (perform, onStage) => {
    if (isBusy) return undefined
    isBusy = true
    const release = hold()
    try {
      onStage('sending')
      const answer = await performUntilKnown(() => perform(key))
      key = newKey()
      return answer
    } finally {
      release()
      isBusy = false
    }

    async function performUntilKnown<Data>(send: () => Promise<Answer<Data>>): Promise<Answer<Data>> {
      let answer = await send()
      if (!('refusal' in answer) || answer.refusal.code !== unreachable) return answer
      while ('refusal' in answer && inconclusiveCodes.has(answer.refusal.code)) {
        onStage('checking')
        await wait(retryMs)
        answer = await send()
      }
      return answer
    }
  }
}
