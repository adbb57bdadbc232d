// What the parts of the payouts drill share, and the requests of its shop.
import type { ApiProcess, Connections } from '../../server/local/drill/api-process.ts'
import type { Pool } from '../../server/src/base/db.ts'
import type { Merchant } from '../voucher-lifecycle/world.ts'

export type World = {
  /** Connects as the owner of the tables. */
  readonly pool: Pool
  /** Connects as the superuser, who sees the connections of workers. */
  readonly admin: Pool
  readonly shop: Merchant
  readonly api: ApiProcess
  readonly settings: Readonly<Record<string, string>>
}

const path = '/merchant-integrations-server/payout-batches'

type Check = { readonly accepted: number; readonly faults: readonly object[]; readonly confirmation: string }
type Batch = { readonly id: string; readonly status: string; readonly paid: number }
type Data = Batch & { readonly check?: Check; readonly batch?: Batch }

export type Client = {
  readonly fund: (amount: number) => Promise<unknown>
  readonly check: (csv: string) => Promise<Check>
  /** Submits the file on every connection at once, and returns the id of the batch that all of them got. */
  readonly submit: (csv: string, confirmation: string, referenceId: string) => Promise<string>
  readonly look: (id: string) => Promise<Batch>
}

export function createClient(shop: Merchant, connections: Connections): Client {
  const [first] = connections
  const read = async (connection: typeof first, request: string): Promise<Data> => {
    const { status, body } = await connection.send(request)
    if (status !== 200) throw new Error(`The drill cannot continue: ${status} ${body}`)
    return (JSON.parse(body) as { data: Data }).data
  }
  return {
    fund: (amount) => read(first, shop.post('/sandbox/fund', { amount, currency: 'USD' })),
    check: async (csv) => {
      const { check } = await read(first, shop.post(path, { csv, currency: 'USD' }))
      if (check === undefined) throw new Error('The file was not checked.')
      return check
    },
    submit: async (csv, confirmation, referenceId) => {
      const request = shop.post(path, { csv, currency: 'USD', confirmation, referenceId })
      const made = await Promise.all(connections.map((connection) => read(connection, request)))
      const ids = new Set(made.map(({ batch }) => batch?.id ?? ''))
      const [id = ''] = ids
      if (ids.size !== 1) throw new Error(`The same request made ${ids.size} batches.`)
      return id
    },
    look: (id) => read(first, shop.get(`${path}/${id}`)),
  }
}
