import Type from 'typebox'
import { formatMoney, formatPercent } from '../../base/money.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, secretKey } from '../../http/endpoint.ts'
import { closed, money } from '../../http/schema.ts'
import { answer } from '../../http/envelope.ts'
import { exactNumber } from '../../http/exact-json.ts'
import type { Server } from '../../http/server.ts'
import { type ChargeTools, readAdminCharges, setTakesFromBalance } from './settings.ts'

export function registerChargeRoutes(server: Server, tools: ChargeTools): void {
  const api = endpoints(server, ['Settings'])
  api.get('/merchant-integrations/fetch-admin-charges', secretKey('accountant', 'developer'), {
    summary: 'Get the fee settings',
    description: 'What redemption fees are, who pays them, and your discount.',
    response: answers({
      redeemChargesFixRate: money('The fixed part of a fee, in your home currency'),
      redeemChargesPercentage: Type.Number({ description: 'The share of the amount: 1.5 is 1.5 %' }),
      redeemChargesPercentageDiscount: Type.Number({ description: '0 to 100 % of the fee' }),
      takeChargesFromWallet: Type.Boolean(),
    }),
    handler: async (request) => {
      const { fixed, sharePpm, discountPpm, takesFromBalance } = await readAdminCharges(tools, callerOf(request))
      return answer('Charges configuration.', {
        redeemChargesFixRate: exactNumber(formatMoney(fixed)),
        redeemChargesPercentage: exactNumber(formatPercent(sharePpm)),
        redeemChargesPercentageDiscount: exactNumber(formatPercent(discountPpm)),
        takeChargesFromWallet: takesFromBalance,
      })
    },
  })

  api.post(
    '/merchant-integrations/update-admin-charges',
    { ...secretKey(), errorsTellSuccess: true },
    {
      summary: 'Update the fee settings',
      body: closed({ takeChargesFromWallet: Type.Boolean() }),
      response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
      handler: async (request) => {
        const takes = request.body.takeChargesFromWallet
        await setTakesFromBalance(tools, callerOf(request), takes)
        const message = takes
          ? 'Your admin balance pays fees. If it is too low, the voucher pays.'
          : 'The voucher pays fees.'
        return { success: true, message }
      },
    },
  )
}
