import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey, staff } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import type { ConfirmOwner } from '../../identity/user/second-factor.ts'
import { confirmAct, type PinTools } from '../../identity/user/pin.ts'
import { wireOneTimeCode, wirePin } from '../../identity/user/routes.ts'
import { signedOf } from '../../identity/user/session.ts'
import { findUsers, fullNameOf } from '../../identity/user/store.ts'
import { outflowError } from './errors.ts'
import { type Approved, approveOutflow, cancelOutflow, type FinishTools } from './finish.ts'
import { rulesOf } from './request.ts'
import type { OutflowRules } from './rules.ts'
import { countApprovers, listWaiting, readShop, saveRules, sumRollingDay } from './store.ts'
import { toWireOutflow } from './to-wire.ts'
import { wireOutflowLimits, wireOutflows } from './wire.ts'

const params = Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) })
const pin = Type.Optional(wirePin)
// An amount, or "none". Left out, the limit stays.
const limit = Type.Optional(wireAmount('In major units of the home currency, or "none"', 'none'))

const approvedMessages: Record<Approved, string> = {
  sent: 'Approved and sent.',
  approved: 'Approved. It is sent when the waiting time for a new recipient is over.',
  one_more: 'Approved. One more approval is needed.',
}

type Tools = FinishTools & PinTools & { readonly confirmOwner: ConfirmOwner }

/** Waiting outflows, their approval and cancellation, and the limits that an owner sets. */
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

  api.get('/merchant/outflows', staff('accountant'), {
    querystring: Type.Object({ ...cursorQuery, limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }) }),
    response: { 200: enveloped(wireOutflows) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listWaiting(tx, environmentId, readCursor(cursor), limit + 1),
      )
      const { page, continuation } = cutPage(found, limit)
      const users = await findUsers(
        pool,
        page.flatMap(({ requestedBy }) => requestedBy ?? []),
      )
      const catalogue = await readCurrencies(pool)
      const outflows = page.map((outflow) => {
        const user = users.get(outflow.requestedBy ?? '')
        const requester = user === undefined ? '' : fullNameOf(user)
        return toWireOutflow(outflow, requester, pickCurrency(catalogue, outflow.currency, 'any'), clock())
      })
      const approvers = await countApprovers(pool, environmentId)
      return answer('Waiting outflows.', { outflows, approvers, ...continuation })
    },
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

  api.get('/merchant/outflow-limits', staff('accountant'), {
    response: { 200: enveloped(wireOutflowLimits) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const [shop, rules, total] = await withEnvironment(pool, environmentId, async (tx) => {
        const found = await readShop(tx, environmentId)
        return [found, await rulesOf(tools, tx, found), await sumRollingDay(tx, environmentId, clock())] as const
      })
      const currency = await findCurrency(pool, shop.homeCurrency, 'any')
      const shown = (minor: bigint | null): string => (minor === null ? 'none' : formatMoney({ minor, currency }))
      return answer('The outflow limits for 24 hours.', {
        currency: currency.code,
        approvalAbove: shown(rules.approvalAbove),
        daily: shown(rules.daily),
        newRecipientHours: rules.newRecipientHours,
        isDefault: shop.rules === undefined,
        total: shown(total),
      })
    },
  })

  // Not for API keys: these limits bound the damage of a stolen key.
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
