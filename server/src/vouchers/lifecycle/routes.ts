import Type from 'typebox'
import type { LogoUrl } from '../../catalogue/currency/to-wire.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import type { Server } from '../../http/server.ts'
import { answerPending } from '../../payments/outflow/to-wire.ts'
import { pendingResponse } from '../../payments/outflow/wire.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { confirmStaff } from '../../identity/user/pin.ts'
import { wirePin } from '../../identity/user/routes.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { toIssuersVoucher } from '../voucher/to-wire.ts'
import { issueTerms, wireVoucher } from '../voucher/wire.ts'
import { blockVoucher, resetPin } from './block.ts'
import { cancelVoucher, type CancelTools } from './cancel.ts'
import { reopenVoucher } from './expire.ts'
import { replaceVoucher } from './replace.ts'

const lockPin = Type.Optional(Type.String({ pattern: '^[0-9]{4}$' }))
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })

type Tools = IssueTools & CancelTools & { readonly logoUrl: LogoUrl }

/** Cancel, block, replace, reset the PIN of, and reopen issued vouchers. */
export function registerLifecycleRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Voucher lifecycle'])
  const path = (act: string): string => `/merchant-integrations-server/vouchers/:id/${act}`

  api.post(path('cancel'), secretKey('accountant'), {
    operationId: 'cancel-voucher',
    summary: 'Cancel a voucher',
    description:
      'Once its code was delivered, you need the holder’s consent: the code, and the PIN if it has one. Safe to retry.',
    params,
    body: closed({
      voucherCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      lockPin,
      reason: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    handler: async (request) => {
      const { voucherCode, lockPin: pin, reason = '' } = request.body
      const input = { id: request.params.id.toLowerCase(), voucherCode, lockPin: pin, reason }
      await cancelVoucher(tools, callerOf(request), input)
      return acknowledge('The voucher was cancelled.')
    },
  })

  for (const [act, isBlocked, summary] of [
    ['block', true, 'Block a voucher'],
    ['unblock', false, 'Unblock a voucher'],
  ] as const)
    api.post(path(act), secretKey('accountant'), {
      operationId: `${act}-voucher`,
      summary,
      description: 'Safe to retry. A blocked voucher still receives refunds.',
      params,
      body: closed({}),
      handler: async (request) => {
        await blockVoucher(tools, callerOf(request).environmentId, { id: request.params.id.toLowerCase(), isBlocked })
        return acknowledge(isBlocked ? 'The voucher is blocked.' : 'The voucher can be redeemed again.')
      },
    })

  api.post(path('replace'), secretKey('accountant'), {
    operationId: 'replace-voucher',
    summary: 'Replace a voucher',
    headers: idempotencyHeader,
    description: 'The new voucher has the same terms. Refunds of earlier redemptions go to the new voucher.',
    params,
    body: closed({ lockPin, referenceId: issueTerms.referenceId, pin: Type.Optional(wirePin) }),
    response: { 200: Type.Union([enveloped(wireVoucher), pendingResponse]) },
    handler: async (request, reply) => {
      await confirmStaff(tools, request, request.body.pin)
      const reference = takeReference(request, reply, request.body.referenceId, tools.newId)
      const input = { id: request.params.id.toLowerCase(), reference, lockPin: request.body.lockPin }
      const issued = await replaceVoucher(tools, callerOf(request), input)
      if ('pending' in issued) {
        markReplayed(reply, issued.pending)
        return answerPending(issued.pending, reference, issued.amount.minor, issued.amount.currency)
      }
      markReplayed(reply, issued)
      const voucher = toIssuersVoucher(issued.voucher, issued.code, issued.currency, tools, issued.onchain)
      return answer('The voucher was replaced.', voucher)
    },
  })

  api.post(path('reset-pin'), secretKey('accountant'), {
    operationId: 'reset-voucher-pin',
    summary: 'Reset the PIN of a voucher',
    description: 'Safe to retry.',
    params,
    body: closed({ lockPin, pin: Type.Optional(wirePin) }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      await confirmStaff(tools, request, request.body.pin)
      await resetPin(tools, environmentId, { id: request.params.id.toLowerCase(), lockPin: request.body.lockPin })
      return acknowledge('The pin can be tried again.')
    },
  })

  api.post(path('reopen'), secretKey('accountant'), {
    operationId: 'reopen-voucher',
    summary: 'Reopen an expired voucher',
    description: 'Its balance returns from your unclaimed value or from your balance.',
    params,
    body: closed({}),
    handler: async (request) => {
      await reopenVoucher(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return acknowledge('The voucher can be used for 30 days more.')
    },
  })
}
