import Type from 'typebox'
import type { Pool } from '../../base/db.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { wireLanguage } from '../../mail/words.ts'
import { wireOneTimeCode, wirePin } from '../user/routes.ts'
import type { ConfirmOwner } from '../user/second-factor.ts'
import { tidyLine } from './brand.ts'
import { merchantError } from './errors.ts'
import { findSettings } from './store.ts'
import { updateMerchant } from './update-merchant.ts'
import { wireSettings } from './wire.ts'

const name = Type.String({ maxLength: 120 })

type Tools = { readonly pool: Pool; readonly confirmOwner: ConfirmOwner }

/**
 * The profile of a shop and where its notices go. They apply in both modes, so the owner confirms changes with the second factor. The
 * home currency is the operator's to change: limits and their totals are amounts of it.
 */
export function registerSettingsRoutes(server: Server, { pool, confirmOwner }: Tools): void {
  const api = endpoints(server)

  api.get('/merchant/settings', staff('accountant'), {
    response: { 200: enveloped(wireSettings) },
    handler: async (request) => answer('Your settings.', await findSettings(pool, callerOf(request).merchantId)),
  })

  api.post('/merchant/settings', staff(), {
    body: closed({
      companyName: Type.Optional(name),
      tradingName: Type.Optional(name),
      timeZone: Type.Optional(Type.String({ maxLength: 60 })),
      // "none" turns the emails off: an empty field counts as left out.
      contactEmail: Type.Optional(Type.Union([Type.String({ format: 'email', maxLength: 254 }), Type.Literal('none')])),
      language: Type.Optional(wireLanguage),
      pin: Type.Optional(wirePin),
      oneTimeCode: Type.Optional(wireOneTimeCode),
    }),
    response: { 200: enveloped(wireSettings) },
    handler: async (request) => {
      const { merchantId } = callerOf(request)
      const { pin, oneTimeCode, contactEmail, ...changes } = request.body
      await confirmOwner(request, 'both', { pin, oneTimeCode })
      const { code } = await findSettings(pool, merchantId)
      const companyName = changes.companyName === undefined ? undefined : tidyLine(changes.companyName)
      if (companyName === '') throw merchantError('COMPANY_NAME_MISSING', { param: 'companyName' })
      const tradingName = changes.tradingName === undefined ? undefined : tidyLine(changes.tradingName)
      await updateMerchant(pool, code, {
        ...changes,
        ...(companyName !== undefined && { companyName }),
        ...(tradingName !== undefined && { tradingName }),
        ...(contactEmail !== undefined && { contactEmail: contactEmail === 'none' ? '' : contactEmail }),
      })
      return answer('Your settings are saved.', await findSettings(pool, merchantId))
    },
  })
}
