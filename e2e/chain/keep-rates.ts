import type { Pool } from '../../server/src/base/db.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'

const everyMs = 60_000

/** Rates expire after five minutes and a drill takes longer, so this sets them every minute until the drill stops. */
export async function keepRates(stops: (() => Promise<unknown>)[], pool: Pool): Promise<void> {
  const set = async (): Promise<void> => {
    await setManualRate(pool, 'ETH', 'USD', '2000', systemClock)
    await setManualRate(pool, 'USDT', 'USD', '1', systemClock)
  }
  await set()
  const timer = setInterval(() => void set().catch(() => undefined), everyMs)
  stops.push(() => {
    clearInterval(timer)
    return Promise.resolve()
  })
}
