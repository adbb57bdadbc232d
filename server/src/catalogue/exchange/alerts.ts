import { inTransaction } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { FindPlatformMerchant } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Event } from '../../ledger/event.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { exchangeEvent } from './events.ts'

export type AlertTools = PostTools & { readonly findPlatformMerchant: FindPlatformMerchant }

type To = Parameters<typeof exchangeEvent>[1]

/** Publishes an alert to the operator, as an event of the platform merchant. */
export async function publishAlert(tools: AlertTools, eventTo: (to: To) => Event): Promise<void> {
  const { environmentId } = await tools.findPlatformMerchant('live')
  const event = eventTo({ environmentId, about: { id: tools.newId(), sequence: 1 } })
  await inTransaction(tools.pool, (tx) => publishEvents(tx, [event], tools))
}

const limits = ['EXCHANGE_LIMIT_REACHED', 'EXCHANGE_DAILY_LIMIT'] as const
const quietMs = 10 * 60 * 1_000

/** Alerts the operator that a limit refused a conversion: at most once in ten minutes for each limit and process. `fields` name the request in the log. */
export function createLimitAlert(
  tools: AlertTools & { readonly log: Log },
): (error: unknown, fields: object) => Promise<void> {
  const alertedMs = new Map<string, number>()
  return async (error, fields) => {
    const code = limits.find((each) => hasCode(error, each))
    if (code === undefined) return
    const nowMs = tools.clock().getTime()
    if (nowMs - (alertedMs.get(code) ?? -Infinity) < quietMs) return
    alertedMs.set(code, nowMs)
    tools.log.warn({ ...fields, limit: code }, 'an exchange limit was reached')
    await publishAlert(tools, (to) => exchangeEvent('exchange.limit_reached', to, { code })).catch((cause: unknown) => {
      tools.log.error({ err: cause, ...fields }, 'the alert could not be published')
    })
  }
}
