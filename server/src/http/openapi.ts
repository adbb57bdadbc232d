import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'

const publicKey = { publicKey: [] }
const bothKeys = { publicKey: [], secretKey: [] }

/** In the order in which most integrations need them. The reference shows no endpoint of another tag. */
const tags = [
  { name: 'Payment with voucher', description: 'Verify, quote, redeem, issue and refund vouchers.' },
  { name: 'Payment via app authorisation', description: 'Request payments that users authorise in the wallet app.' },
  { name: 'Payment by wallet address deposit', description: 'Accept crypto to an address of its own per payment.' },
  { name: 'Transactions, payouts, balance', description: 'Look up transactions and balances, pay out to users.' },
  { name: 'Events and webhooks', description: 'Learn about payments as they happen.' },
  {
    name: 'Selling vouchers',
    description: 'Sell, reload and pay back store vouchers for money that you took yourself.',
  },
  { name: 'Voucher lifecycle', description: 'Cancel, block, replace and reopen vouchers that you issued.' },
  { name: 'Bulk vouchers', description: 'Issue, import, print and export many vouchers at once.' },
  { name: 'Customers', description: 'Keep a list of your customers.' },
  { name: 'Invoices', description: 'Receive invoices, decide on them and pay them.' },
  { name: 'Reports', description: 'Liability, statements, fees, and lines for your bookkeeping.' },
  { name: 'Currencies and networks', description: 'What this installation supports.' },
  { name: 'Settings', description: 'Fees and who pays them, deposits, and your brand.' },
  { name: 'Sandbox', description: 'Drive test mode: fund balances, pay, authorise and decline.' },
]

type Route = { schema?: object; url: string; route: { config?: { credentials?: string } } }

/** The document is generated from the validation schemas. This adds credentials and operation names. */
export const openapi: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Scrip merchant API',
      description:
        'Amounts are numbers in major units, exact to the last digit. A string such as "0.1" is accepted too.',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags,
    components: {
      securitySchemes: {
        publicKey: { type: 'http', scheme: 'bearer', description: 'Your public key, pk_…' },
        secretKey: { type: 'apiKey', in: 'header', name: 'X-API-Private-Key', description: 'Your secret key, sk_…' },
      },
    },
  },
  transform: ({ schema, url, route }: Route) => {
    const security = route.config?.credentials === 'secret' ? [bothKeys] : [publicKey]
    const name =
      url
        .split('/')
        .filter((part) => part !== '' && !part.startsWith(':'))
        .at(-1) ?? 'root'
    return { url, schema: { operationId: name, security, ...schema } }
  },
}
