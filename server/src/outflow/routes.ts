import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, secretKey, staff } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { confirmAct, type PinTools } from '../user/pin.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import { signedOf } from '../user/session.ts'
import { findPeople, fullNameOf } from '../user/store.ts'
import { outflowError } from './errors.ts'
import { type Approved, approveOutflow, cancelOutflow, type FinishTools } from './finish.ts'
import { rulesOf } from './request.ts'
import type { OutflowRules } from './rules.ts'
import { countApprovers, listWaiting, readShop, saveRules, sumRollingDay } from './store.ts'
import { toWireOutflow } from './wire.ts'

const params = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) })
const pin = Type.Optional(wirePin)
// An amount, or "none"; not named, it stays as it was.
const limit = Type.Optional(wireAmount('In major units of the home currency, or "none"'))

const approvedMessages: Record<Approved, string> = {
  sent: 'Approved. The money has left.',
  approved: 'Approved. It leaves when the waiting time for a new recipient is over.',
  one_more: 'Approved. One more approval is needed.',
}

type Tools = FinishTools & PinTools & { readonly confirmOwner: ConfirmOwner }

/** What waits to leave a shop, who approves it, and the limits that an owner sets. */
export function registerOutflowRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool, clock } = tools

  for (const path of ['outflows', 'payouts'])
    api.post(`/merchant-integrations-server/${path}/:reference/cancel`, secretKey('accountant'), {
      operationId: path === 'outflows' ? 'cancel-outflow' : 'cancel-payout',
      summary: `Cancel a waiting ${path === 'outflows' ? 'outflow' : 'payout'} and release its amount`,
      params,
      handler: async (request) => {
        await cancelOutflow(tools, callerOf(request).environmentId, request.params, 'withdrawn')
        return acknowledge('Canceled.')
      },
    })

  api.get('/merchant/outflows', staff('accountant'), async (request) => {
    const { environmentId } = callerOf(request)
    const found = await withEnvironment(pool, environmentId, (tx) => listWaiting(tx, environmentId))
    const people = await findPeople(
      pool,
      found.flatMap(({ requestedBy }) => requestedBy ?? []),
    )
    const catalogue = await readCurrencies(pool)
    const outflows = found.map((outflow) => {
      const person = people.get(outflow.requestedBy ?? '')
      const requester = person === undefined ? '' : fullNameOf(person)
      return toWireOutflow(outflow, requester, pickCurrency(catalogue, outflow.currency, 'any'), clock())
    })
    return answer('Outflows that wait.', { outflows, approvers: await countApprovers(pool, environmentId) })
  })

  for (const path of ['outflows', 'payouts'])
    api.post(`/merchant/${path}/:reference/approve`, staff('accountant'), {
      params,
      body: closed({ pin }),
      handler: async (request) => {
        await confirmAct(tools, signedOf(request), request.body.pin)
        return acknowledge(approvedMessages[await approveOutflow(tools, callerOf(request), request.params)])
      },
    })

  api.get('/merchant/outflow-limits', staff('accountant'), async (request) => {
    const { environmentId } = callerOf(request)
    const [shop, rules, total] = await withEnvironment(pool, environmentId, async (tx) => {
      const found = await readShop(tx, environmentId)
      return [found, await rulesOf(tools, tx, found), await sumRollingDay(tx, environmentId, clock())] as const
    })
    const currency = await findCurrency(pool, shop.homeCurrency, 'any')
    const shown = (minor: bigint | null): string => (minor === null ? 'none' : formatMoney({ minor, currency }))
    return answer('What may leave in 24 hours.', {
      currency: currency.code,
      approvalAbove: shown(rules.approvalAbove),
      daily: shown(rules.daily),
      newRecipientHours: rules.newRecipientHours,
      isDefault: shop.rules === undefined,
      total: shown(total),
    })
  })

  // Not for keys: it bounds what a stolen one can do.
  for (const path of ['outflow-limits', 'payout-limits'])
    api.post(`/merchant/${path}`, staff(), {
      body: closed({
        currency: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })),
        daily: limit,
        approvalAbove: limit,
        newRecipientHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
        pin,
        oneTimeCode: Type.Optional(wireOneTimeCode),
      }),
      handler: async (request) => {
        const { body } = request
        const { environmentId, mode } = callerOf(request)
        await tools.confirmOwner(request, mode, body)
        await withEnvironment(pool, environmentId, async (tx) => {
          const shop = await readShop(tx, environmentId)
          if ((body.currency?.toUpperCase() ?? shop.homeCurrency) !== shop.homeCurrency)
            throw outflowError('OUTFLOW_CURRENCY', { param: 'currency' })
          const home = await findCurrency(tx, shop.homeCurrency, 'any')
          const before = await rulesOf(tools, tx, shop)
          const read = (name: 'daily' | 'approvalAbove'): bigint | null => {
            if (body[name] === 'none') return null
            const text = digitsOf(body, name)
            return text === undefined ? before[name] : parseMoney(text, home, name).minor
          }
          const rules: OutflowRules = {
            approvalAbove: read('approvalAbove'),
            daily: read('daily'),
            newRecipientHours: body.newRecipientHours ?? before.newRecipientHours,
          }
          await saveRules(tx, environmentId, rules)
        })
        return acknowledge('Your limits are set.')
      },
    })
}
