import { readStream } from '../ui/read-stream.ts'
import { postAddress } from './request-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

const retryMsMin = 1_000
const retryMsMax = 60_000

type Listener = {
  /** The id of the newest history entry on the page. */
  readonly newestId: () => string
  readonly onChange: () => void
}

/** Calls `onChange` at every change of the voucher until `signal` aborts. Reconnects when the server ends the stream. */
export async function listenToVoucher(
  address: VoucherAddress,
  lockPin: string,
  { newestId, onChange }: Listener,
  signal: AbortSignal,
): Promise<void> {
  let retryMs = retryMsMin
  while (!signal.aborted) {
    try {
      // With the newest entry, the server reports at once what changed before the stream opened.
      const more = { seen: newestId() }
      const { ok, status, body } = await postAddress('/holder/voucher/live', address, lockPin, signal, more)
      // A refusal would repeat at every retry. The user can still press Refresh.
      if (status >= 400 && status < 500) return
      if (ok && body !== null) {
        retryMs = retryMsMin
        await readStream(body, onChange)
      }
    } catch {
      // Offline or aborted.
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    retryMs = Math.min(retryMsMax, retryMs * 2)
  }
}
