import { withEnvironment } from '../base/environment.ts'
import { hasCode } from '../base/errors.ts'
import type { PostTools } from '../ledger/batch.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { customerError } from './errors.ts'
import { fold } from './search.ts'
import {
  type Customer,
  type CustomerPage,
  deleteCustomer,
  insertCustomer,
  searchPage,
  selectPage,
  updateCustomer,
} from './store.ts'

type Details = { readonly email: string; readonly name: string }

export async function addCustomer(tools: PostTools, { environmentId }: MerchantCaller, details: Details) {
  const customer = { id: tools.newId(), ...details }
  await telling(() =>
    withEnvironment(tools.pool, environmentId, (tx) => insertCustomer(tx, environmentId, customer, tools.clock())),
  )
  return customer
}

export async function changeCustomer({ pool }: PostTools, { environmentId }: MerchantCaller, customer: Customer) {
  const isThere = await telling(() =>
    withEnvironment(pool, environmentId, (tx) => updateCustomer(tx, environmentId, customer)),
  )
  if (!isThere) throw customerError('CUSTOMER_NOT_FOUND')
}

export async function removeCustomer({ pool }: PostTools, { environmentId }: MerchantCaller, id: string) {
  const wasThere = await withEnvironment(pool, environmentId, (tx) => deleteCustomer(tx, environmentId, id))
  if (!wasThere) throw customerError('CUSTOMER_NOT_FOUND')
}

export async function listCustomers(
  { pool }: PostTools,
  { environmentId }: MerchantCaller,
  { page, limit, search = '' }: { page: number; limit: number; search?: string },
): Promise<CustomerPage> {
  const term = fold(search)
  return withEnvironment(pool, environmentId, (tx) =>
    term === '' ? selectPage(tx, environmentId, page, limit) : searchPage(tx, environmentId, term, page, limit),
  )
}

/** The database decides who was first with an e-mail; here it gets its name. */
async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw hasCode(error, '23505') ? customerError('CUSTOMER_EMAIL_TAKEN', { param: 'email' }, error) : error
  }
}
