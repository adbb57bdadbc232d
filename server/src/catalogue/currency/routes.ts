import Type from 'typebox'
import type { Db } from '../../base/db.ts'
import { callerOf } from '../../http/caller.ts'
import { anyRole, endpoints, publicKey } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { currencyError } from './errors.ts'
import { drawLogo } from './logo.ts'
import { listCurrencies, listNetworks, type Network } from './store.ts'
import { type LogoUrl, toSupportedCurrency, toSupportedNetwork } from './to-wire.ts'
import { supportedCurrencies, supportedNetwork } from './wire.ts'

type CurrencyTools = {
  readonly db: Db
  readonly logoUrl: LogoUrl
  /** Node URLs by network abbreviation. */
  readonly nodes: Readonly<Record<string, readonly string[]>>
}

export function registerCurrencyRoutes(server: Server, { db, logoUrl, nodes }: CurrencyTools): void {
  const api = endpoints(server, ['Currencies and networks'])
  api.get('/merchant-integrations/fetch-supported-currencies', publicKey(...anyRole), {
    summary: 'List supported currencies',
    response: { 200: enveloped(supportedCurrencies) },
    handler: async () => {
      const currencies = await listCurrencies(db)
      return answer('Supported currencies.', { currencies: currencies.map((c) => toSupportedCurrency(c, logoUrl)) })
    },
  })

  api.get('/merchant-integrations/fetch-supported-cryptonetworks', publicKey(...anyRole), {
    summary: 'List supported networks and their currencies',
    description: 'A test key gets the test networks that this installation is connected to, which may be none.',
    response: { 200: enveloped(Type.Array(supportedNetwork)) },
    handler: async (request) => {
      const { mode } = callerOf(request)
      const networks = await listNetworks(db)
      return answer(
        'Supported networks.',
        networks
          .filter((network) => isOffered(network, mode, nodes))
          .map((network) => toSupportedNetwork(network, logoUrl)),
      )
    },
  })

  api.get('/logos/:kind/:file', 'none', {
    params: Type.Object({ kind: Type.String(), file: Type.String() }),
    handler: async (request, reply) => {
      const name = request.params.file.replace(/\.svg$/, '')
      const sign = await findSign(db, request.params.kind, name)
      if (sign === undefined) throw currencyError('LOGO_NOT_FOUND')
      // Merchants show these logos on their own sites.
      reply.header('Cross-Origin-Resource-Policy', 'cross-origin').header('Cache-Control', 'public, max-age=86400')
      return reply.type('image/svg+xml').send(drawLogo(name, sign))
    },
  })
}

/** A payment on a test network is only seen through a node. */
function isOffered(network: Network, mode: Network['mode'], nodes: CurrencyTools['nodes']): boolean {
  return network.mode === mode && (mode === 'live' || nodes[network.abbreviation] !== undefined)
}

async function findSign(db: Db, kind: string, name: string): Promise<string | undefined> {
  if (kind === 'currency') return (await listCurrencies(db)).find(({ code }) => code === name)?.symbol
  if (kind === 'network')
    return (await listNetworks(db)).find(({ abbreviation }) => abbreviation === name)?.abbreviation
  return undefined
}
