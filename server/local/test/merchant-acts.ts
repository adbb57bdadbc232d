// What merchants do in most tests of the API: they get money, issue and redeem vouchers, and read balances.
import type { Call, CallOptions, WorldMerchant } from './api-world.ts'
import type { Fields, Reply } from './reply.ts'

type Amount = number | string
type FundOptions = {
  readonly currency?: string
  readonly account?: 'balance' | 'admin'
  /** The email address or username of a user whose wallet gets the money. */
  readonly user?: string
  readonly as?: WorldMerchant
}
type Issued = { readonly id: string; readonly code: string }

export type MerchantActs = {
  readonly get: <Data = Fields>(path: string, as?: WorldMerchant) => Promise<Reply<Data>>
  readonly post: <Data = Fields>(path: string, body?: object, as?: WorldMerchant) => Promise<Reply<Data>>
  /** Adds test money to the balance of a merchant, or to the wallet of a user. */
  readonly fund: (amount: Amount, options?: FundOptions) => Promise<void>
  /** Issues a voucher in USD, unless the terms differ, which the sandbox pays for. */
  readonly issueVoucher: (amount?: Amount, terms?: object, as?: WorldMerchant) => Promise<Issued>
  /** Issues a voucher and returns its code. */
  readonly voucher: (amount?: Amount, terms?: object, as?: WorldMerchant) => Promise<string>
  readonly redeem: <Data = Fields>(body: object, options?: Omit<CallOptions, 'body'>) => Promise<Reply<Data>>
  readonly balance: (currency?: string, as?: WorldMerchant) => Promise<number>
  /** The balance of a voucher. */
  readonly left: (voucherCode: string) => Promise<number>
  readonly statusOf: (reference: string, as?: WorldMerchant) => Promise<string>
}

const own = '/merchant-integrations'

/** The acts are requests of our merchant, unless `as` names another. All but `get`, `post` and `redeem` must succeed. */
export function createMerchantActs(call: Call): MerchantActs {
  const get: MerchantActs['get'] = (path, as) => call('GET', path, { ...(as && { as }) })
  const post: MerchantActs['post'] = (path, body, as) => call('POST', path, { body, ...(as && { as }) })
  const issueVoucher: MerchantActs['issueVoucher'] = async (amount = 100, terms = {}, as) =>
    accepted(await post<Issued>('/sandbox/vouchers', { amount, currency: 'USD', ...terms }, as))
  return {
    get,
    post,
    fund: async (amount, { currency = 'USD', as, ...target } = {}) => {
      accepted(await post('/sandbox/fund', { amount, currency, ...target }, as))
    },
    issueVoucher,
    voucher: async (amount, terms, as) => (await issueVoucher(amount, terms, as)).code,
    redeem: (body, options = {}) => call('POST', `${own}/redeem-voucher`, { ...options, body }),
    balance: async (currency = 'USD', as) => {
      const path = `${own}/fetch-balance?currencyAbbreviation=${currency}`
      return accepted(await get<{ balance: number }>(path, as)).balance
    },
    left: async (voucherCode) =>
      accepted(await post<{ balance: number }>(`${own}/verify-voucher`, { voucherCode })).balance,
    statusOf: async (reference, as) => {
      const path = `/merchant-integrations-server/verify-transaction/${reference}`
      return accepted(await get<{ status: string }>(path, as)).status
    },
  }
}

function accepted<Data>({ status, text, data }: Reply<Data>): Data {
  if (status !== 200) throw new Error(`The API refused a request of a test with ${status}: ${text}`)
  return data
}
