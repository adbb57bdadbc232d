import Type from 'typebox'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { answerPending, pendingResponse } from '../outflow/wire.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { confirmStaff } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { issueTerms, toWireVoucher, wireVoucher } from '../voucher/wire.ts'
import { blockVoucher, resetPin } from './block.ts'
import { cancelVoucher, type CancelTools } from './cancel.ts'
import { reopenVoucher } from './expire.ts'
import { replaceVoucher } from './replace.ts'

const lockPin = Type.Optional(Type.String({ pattern: '^[0-9]{4}$' }))
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })

type Tools = IssueTools & CancelTools & { readonly logoUrl: LogoUrl }

/** What an issuer does with a voucher after it was issued. */
export function registerAftercareRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Vouchers that you issued'])
  const path = (act: string): string => `/merchant-integrations-server/vouchers/:id/${act}`

  api.post(path('cancel'), secretKey('accountant'), {
    operationId: 'cancel-voucher',
    summary: 'Cancels a voucher; what is left goes back to who paid for it',
    description:
      'Once its code has left the platform, with the holder’s consent only: code, and pin if it has one. A repeat changes nothing.',
    params,
    body: closed({
      voucherCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      lockPin,
      reason: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    handler: async (request) => {
      const { voucherCode, lockPin: pin, reason = '' } = request.body
      const ask = { id: request.params.id.toLowerCase(), voucherCode, lockPin: pin, reason }
      await cancelVoucher(tools, callerOf(request), ask)
      return acknowledge('The voucher was cancelled.')
    },
  })

  for (const [act, isBlocked, summary] of [
    ['block', true, 'Keeps everybody from redeeming a voucher, for instance one that was lost'],
    ['unblock', false, 'Lets a blocked voucher be redeemed again'],
  ] as const)
    api.post(path(act), secretKey('accountant'), {
      operationId: `${act}-voucher`,
      summary,
      description: 'A repeat changes nothing. Refunds still reach a blocked voucher.',
      params,
      body: closed({}),
      handler: async (request) => {
        await blockVoucher(tools, callerOf(request).environmentId, { id: request.params.id.toLowerCase(), isBlocked })
        return acknowledge(isBlocked ? 'The voucher is blocked.' : 'The voucher can be redeemed again.')
      },
    })

  api.post(path('replace'), secretKey('accountant'), {
    operationId: 'replace-voucher',
    summary: 'Replaces a lost voucher: its code is dead, what is left is on a new one',
    description: 'The new one has the same terms. Refunds of what was redeemed before reach the new one.',
    params,
    body: closed({ lockPin, referenceId: issueTerms.referenceId, pin: Type.Optional(wirePin) }),
    response: { 200: Type.Union([enveloped(wireVoucher), pendingResponse]) },
    handler: async (request, reply) => {
      await confirmStaff(tools, request, request.body.pin)
      const reference = takeReference(request, reply, request.body.referenceId, tools.newId)
      const ask = { id: request.params.id.toLowerCase(), reference, lockPin: request.body.lockPin }
      const issued = await replaceVoucher(tools, callerOf(request), ask)
      if ('pending' in issued) {
        tellReplayed(reply, issued.pending)
        return answerPending(issued.pending, reference, issued.amount.minor, issued.amount.currency)
      }
      tellReplayed(reply, issued)
      const voucher = toWireVoucher(issued.voucher, issued.code, issued.currency, tools)
      return answer('The voucher was replaced.', voucher)
    },
  })

  api.post(path('reset-pin'), secretKey('accountant'), {
    operationId: 'reset-voucher-pin',
    summary: 'Forgets wrong pins, also of a frozen voucher, and sets a new pin if you give one',
    description: 'A repeat changes nothing more.',
    params,
    body: closed({ lockPin }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      await resetPin(tools, environmentId, { id: request.params.id.toLowerCase(), lockPin: request.body.lockPin })
      return acknowledge('The pin can be tried again.')
    },
  })

  api.post(path('reopen'), secretKey('accountant'), {
    operationId: 'reopen-voucher',
    summary: 'Puts back what an expired voucher had, for 30 days',
    description: 'It comes from where it went: your unclaimed value, or your balance.',
    params,
    body: closed({}),
    handler: async (request) => {
      await reopenVoucher(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return acknowledge('The voucher can be used for 30 days more.')
    },
  })
}
