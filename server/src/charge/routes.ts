import Type from 'typebox'
import { formatMoney, formatPercent } from '../base/money.ts'
import { callerOf } from '../http/caller.ts'
import { answers, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import { type ChargeTools, readAdminCharges, setTakesFromBalance } from './settings.ts'

export function registerChargeRoutes(server: Server, tools: ChargeTools): void {
  const api = endpoints(server, ['Settings'])
  api.get('/merchant-integrations/fetch-admin-charges', secretKey('accountant', 'developer'), {
    summary: 'Tells who bears redemption charges, and what is let off',
    response: answers({
      redeemChargesFixRate: Type.Number({ description: 'The fixed part of a charge, in your home currency' }),
      redeemChargesPercentageDiscount: Type.Number({ description: '0 to 100 % of the charge' }),
      takeChargesFromWallet: Type.Boolean(),
    }),
    handler: async (request) => {
      const { fixed, discountPpm, takesFromBalance } = await readAdminCharges(tools, callerOf(request))
      return answer('Charges configuration.', {
        redeemChargesFixRate: exactNumber(formatMoney(fixed)),
        redeemChargesPercentageDiscount: exactNumber(formatPercent(discountPpm)),
        takeChargesFromWallet: takesFromBalance,
      })
    },
  })

  api.post(
    '/merchant-integrations/update-admin-charges',
    { ...secretKey(), errorsTellSuccess: true },
    {
      summary: 'Sets who bears redemption charges',
      body: closed({ takeChargesFromWallet: Type.Boolean() }),
      response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
      handler: async (request) => {
        const takes = request.body.takeChargesFromWallet
        await setTakesFromBalance(tools, callerOf(request), takes)
        const message = takes
          ? 'Charges come out of your admin balance, and out of the voucher where it is short.'
          : 'Charges come out of the voucher.'
        return { success: true, message }
      },
    },
  )
}
