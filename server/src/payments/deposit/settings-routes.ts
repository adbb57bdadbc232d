import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { formatPercent, parseMoney } from '../../base/money.ts'
import type { Pool } from '../../base/db.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, secretKey } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer } from '../../http/envelope.ts'
import { digitsOf, exactNumber } from '../../http/exact-json.ts'
import type { Server } from '../../http/server.ts'
import { findTolerance, setTolerance } from './store.ts'

const description =
  'By how much a deposit may fall short and still complete: 0.1 is 0.1 %. You are credited for what arrived, so you pay the difference'
const settings = { underpaymentTolerancePercentage: Type.Number({ description }) }
// Percent with four decimals, in which the smallest step is one part per million.
const percent = { code: 'percent', decimals: 4 }

/** How exactly a merchant's deposits must be paid. */
export function registerDepositSettings(server: Server, { pool }: { readonly pool: Pool }): void {
  const api = endpoints(server, ['Settings'])
  const url = '/merchant-integrations-server/deposit-settings'
  const show = (ppm: bigint) => ({ underpaymentTolerancePercentage: exactNumber(formatPercent(ppm)) })

  api.get(url, secretKey('accountant', 'developer'), {
    operationId: 'fetch-deposit-settings',
    summary: 'Get the deposit settings',
    response: answers(settings),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      return answer('Your deposit settings.', show(await findTolerance(pool, environmentId)))
    },
  })

  api.post(url, secretKey('accountant'), {
    operationId: 'update-deposit-settings',
    summary: 'Update the deposit settings',
    description: 'For deposits that are requested from now on. Open deposits keep the tolerance of their request.',
    body: closed({ underpaymentTolerancePercentage: Type.Number({ minimum: 0, maximum: 5, description }) }),
    response: answers(settings),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const name = 'underpaymentTolerancePercentage'
      const { minor: ppm } = parseMoney(digitsOf(request.body, name) ?? '', percent, name)
      await withEnvironment(pool, environmentId, (tx) => setTolerance(tx, environmentId, Number(ppm)))
      return answer('Your deposit settings are saved.', show(ppm))
    },
  })
}
