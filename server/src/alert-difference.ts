import { type AlertTools, publishAlert } from './catalogue/exchange/alerts.ts'
import { describeDifference, type LedgerDifference } from './ledger/check.ts'
import { differenceEvent } from './ledger/difference-event.ts'

/** Alerts the operator of a difference in the ledger, as an event of the platform merchant. */
export function createAlertDifference(tools: AlertTools): (difference: LedgerDifference) => Promise<void> {
  return (difference) =>
    publishAlert(tools, (to) =>
      differenceEvent('ledger.difference_found', to, {
        number: difference.id,
        kind: difference.kind,
        description: describeDifference(difference),
      }),
    )
}
