import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import Type from 'typebox'

const publicKey = { publicKey: [] }
const bothKeys = { publicKey: [], secretKey: [] }

const errorAnswer = Type.Object({
  message: Type.String({ description: 'A plain sentence for people' }),
  code: Type.Integer({ description: 'Equals the HTTP status' }),
  status: Type.Literal('error'),
  error: Type.Object({
    type: Type.String(),
    code: Type.String({ description: 'For programs; see the catalogue of errors' }),
    param: Type.String({ description: 'The field that is wrong, or empty' }),
    requestId: Type.String(),
    doc: Type.String(),
  }),
})

type Route = { schema?: object; url: string; route: { config?: { credentials?: string } } }

/** The document is made of the schemas that requests are validated by. Here it learns credentials, names and errors. */
export const openapi: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Scrip merchant API',
      description:
        'Amounts are numbers in major units, exact to the last digit; a string such as "0.1" is taken as well.',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
    },
    servers: [{ url: '/', description: 'This server' }],
    components: {
      securitySchemes: {
        publicKey: { type: 'http', scheme: 'bearer', description: 'Your public key, pk_…' },
        secretKey: { type: 'apiKey', in: 'header', name: 'X-API-Private-Key', description: 'Your secret key, sk_…' },
      },
    },
  },
  transform: ({ schema, url, route }: Route) => {
    const { response = {}, ...rest } = (schema ?? {}) as { response?: Record<string, unknown> }
    const security = route.config?.credentials === 'secret' ? [bothKeys] : [publicKey]
    const name =
      url
        .split('/')
        .filter((part) => part !== '' && !part.startsWith(':'))
        .at(-1) ?? 'root'
    const errors = {
      '4XX': { description: 'Refused', ...errorAnswer },
      '5XX': { description: 'Our fault', ...errorAnswer },
    }
    return { url, schema: { operationId: name, security, ...rest, response: { ...response, ...errors } } }
  },
}
