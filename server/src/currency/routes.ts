import Type from 'typebox'
import type { Db } from '../base/db.ts'
import { answers, anyRole, endpoints, publicKey } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { currencyError } from './errors.ts'
import { drawLogo } from './logo.ts'
import { listCurrencies, listNetworks } from './store.ts'
import { type LogoUrl, supportedCurrency, supportedNetwork, toSupportedCurrency, toSupportedNetwork } from './wire.ts'

export function registerCurrencyRoutes(server: Server, db: Db, logoUrl: LogoUrl): void {
  const api = endpoints(server, ['Currencies and networks'])
  api.get('/merchant-integrations/fetch-supported-currencies', publicKey(...anyRole), {
    summary: 'Lists supported currencies',
    response: answers({ currencies: Type.Array(supportedCurrency) }),
    handler: async () => {
      const currencies = await listCurrencies(db)
      return answer('Supported currencies.', { currencies: currencies.map((c) => toSupportedCurrency(c, logoUrl)) })
    },
  })

  api.get('/merchant-integrations/fetch-supported-cryptonetworks', publicKey(...anyRole), {
    summary: 'Lists supported blockchain networks with their coins',
    response: { 200: enveloped(Type.Array(supportedNetwork)) },
    handler: async () => {
      const networks = await listNetworks(db)
      return answer(
        'Supported networks.',
        networks.map((network) => toSupportedNetwork(network, logoUrl)),
      )
    },
  })

  api.get('/logos/:kind/:file', 'none', {
    params: Type.Object({ kind: Type.String(), file: Type.String() }),
    handler: async (request, reply) => {
      const name = request.params.file.replace(/\.svg$/, '')
      const sign = await findSign(db, request.params.kind, name)
      if (sign === undefined) throw currencyError('LOGO_NOT_FOUND')
      // Shown on pages of other sites, as the address in our answers promises.
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin').header('Cache-Control', 'public, max-age=86400')
      return reply.type('image/svg+xml').send(drawLogo(name, sign))
    },
  })
}

async function findSign(db: Db, kind: string, name: string): Promise<string | undefined> {
  if (kind === 'currency') return (await listCurrencies(db)).find(({ code }) => code === name)?.symbol
  if (kind === 'network')
    return (await listNetworks(db)).find(({ abbreviation }) => abbreviation === name)?.abbreviation
  return undefined
}
