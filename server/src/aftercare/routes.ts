import Type, { type TSchema } from 'typebox'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { acknowledge, acknowledged, answer, enveloped } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
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
export function registerAftercareRoutes({ app }: Server, tools: Tools): void {
  const route = <Body extends TSchema, Answer extends TSchema>(
    summary: string,
    description: string,
    body: Body,
    data: Answer,
    operationId: string,
  ) => ({
    config: { credentials: 'secret', roles: ['accountant'] } as const,
    schema: {
      operationId,
      summary,
      description,
      tags: ['Vouchers that you issued'],
      params,
      body,
      response: { 200: data },
    },
  })
  const path = (act: string): string => `/merchant-integrations-server/vouchers/:id/${act}`
  const nothing = Type.Object({}, { additionalProperties: false })

  app.post(
    path('cancel'),
    route(
      'Cancels a voucher; what is left goes back to who paid for it',
      'Once its code has left the platform, with the holder’s consent only: code, and pin if it has one. A repeat changes nothing.',
      Type.Object(
        {
          voucherCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
          lockPin,
          reason: Type.Optional(Type.String({ maxLength: 500 })),
        },
        { additionalProperties: false },
      ),
      acknowledged,
      'cancel-voucher',
    ),
    async (request) => {
      const { voucherCode, lockPin: pin, reason = '' } = request.body
      await cancelVoucher(tools, callerOf(request), {
        id: request.params.id.toLowerCase(),
        voucherCode,
        lockPin: pin,
        reason,
      })
      return acknowledge('The voucher was cancelled.')
    },
  )

  for (const [act, isBlocked, summary] of [
    ['block', true, 'Keeps everybody from redeeming a voucher, for instance one that was lost'],
    ['unblock', false, 'Lets a blocked voucher be redeemed again'],
  ] as const)
    app.post(
      path(act),
      route(
        summary,
        'A repeat changes nothing. Refunds still reach a blocked voucher.',
        nothing,
        acknowledged,
        `${act}-voucher`,
      ),
      async (request) => {
        await blockVoucher(tools, callerOf(request).environmentId, { id: request.params.id.toLowerCase(), isBlocked })
        return acknowledge(isBlocked ? 'The voucher is blocked.' : 'The voucher can be redeemed again.')
      },
    )

  app.post(
    path('replace'),
    route(
      'Replaces a lost voucher: its code is dead, what is left is on a new one',
      'The new one has the same terms. Refunds of what was redeemed before reach the new one.',
      Type.Object({ lockPin, referenceId: issueTerms.referenceId }, { additionalProperties: false }),
      enveloped(wireVoucher),
      'replace-voucher',
    ),
    async (request, reply) => {
      const reference = takeReference(request, reply, request.body.referenceId, tools.newId)
      const ask = { id: request.params.id.toLowerCase(), reference, lockPin: request.body.lockPin }
      const issued = await replaceVoucher(tools, callerOf(request), ask)
      tellReplayed(reply, issued)
      const voucher = toWireVoucher(issued.voucher, issued.code, issued.currency, tools)
      return answer('The voucher was replaced.', voucher)
    },
  )

  app.post(
    path('reset-pin'),
    route(
      'Forgets wrong pins, also of a frozen voucher, and sets a new pin if you give one',
      'A repeat changes nothing more.',
      Type.Object({ lockPin }, { additionalProperties: false }),
      acknowledged,
      'reset-voucher-pin',
    ),
    async (request) => {
      const { environmentId } = callerOf(request)
      await resetPin(tools, environmentId, { id: request.params.id.toLowerCase(), lockPin: request.body.lockPin })
      return acknowledge('The pin can be tried again.')
    },
  )

  app.post(
    path('reopen'),
    route(
      'Puts back what an expired voucher had, for 30 days',
      'It comes from where it went: your unclaimed value, or your balance.',
      nothing,
      acknowledged,
      'reopen-voucher',
    ),
    async (request) => {
      await reopenVoucher(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return acknowledge('The voucher can be used for 30 days more.')
    },
  )
}
