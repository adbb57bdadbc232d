import { readStream } from '../ui/read-stream.ts'
import { postAddress } from './ask-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

const waitMsMin = 1_000
const waitMsMax = 60_000

/** Says whenever something happened to the voucher, until it is called off. The server ends each listening after a while. */
export async function listenToVoucher(
  address: VoucherAddress,
  lockPin: string,
  { seen, onChange }: { readonly seen: () => string; readonly onChange: () => void },
  calledOff: AbortSignal,
): Promise<void> {
  let waitMs = waitMsMin
  while (!calledOff.aborted) {
    try {
      const { ok, status, body } = await postAddress('/holder/voucher/live', address, lockPin, calledOff, {
        // What happened between the last look and this is told at once.
        seen: seen(),
      })
      // What the server refuses now it refuses later too; the refresh button is still there.
      if (status >= 400 && status < 500) return
      if (ok && body !== null) {
        waitMs = waitMsMin
        await readStream(body, onChange)
      }
    } catch {
      // Offline, or called off.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMsMax, waitMs * 2)
  }
}
