// What a thief finds or creates in a shop: recipients, vouchers, sales, invoices and pending outflows.
import type { ApiResponse, Shop } from './shop.ts'
import { server } from './shop.ts'

type Voucher = { readonly id: string; readonly code: string }

export type Loot = {
  readonly recipients: string[]
  readonly vouchers: Voucher[]
  /** References of redemptions at the shop. */
  readonly sales: string[]
  /** References of pending outflows. */
  readonly waiting: string[]
  readonly invoices: string[]
}

const recentMax = 40

/** Keeps only the newest, so that a long run does not spend its acts on what ended long ago. */
export function keep<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > recentMax) list.shift()
}

export function keepVoucher({ vouchers }: Loot, { status, data }: ApiResponse): void {
  if (status === 'success' && typeof data?.id === 'string' && typeof data.code === 'string')
    keep(vouchers, { id: data.id, code: data.code })
}

/**
 * What honest staff did before the theft, with the rule off: they paid a recipient, issued vouchers to customers, sold
 * against vouchers, and let vouchers expire. Then three days pass, so that none of it counts on the thief's first day.
 */
export async function makeHistory(shop: Shop): Promise<Loot> {
  const { byKey, world, time } = shop
  const loot: Loot = { recipients: [], vouchers: [], sales: [], waiting: [], invoices: [] }
  await shop.setRuleOff()
  await shop.setRate()
  const recipient = await shop.addRecipient()
  await byKey(`${server}/payout`, {
    ...{
      amount: 1,
      fromCurrencyAbbreviation: 'USD',
      toCurrencyAbbreviation: 'USD',
      platformUsernameOrEmail: recipient,
    },
  })
  loot.recipients.push(recipient)
  const expiresAt = new Date(time.clock().getTime() + 3_600_000).toISOString()
  for (let i = 0; i < 4; i++) {
    keepVoucher(loot, await byKey(`${server}/vouchers`, { amount: 400, currency: 'USD' }))
    keepVoucher(loot, await byKey(`${server}/vouchers`, { amount: 400, currency: 'USD', expiresAt }))
    const { data } = await byKey(`${server}/vouchers`, { amount: 400, currency: 'USD' })
    const referenceId = world.newId()
    await byKey('/merchant-integrations/redeem-voucher', { voucherCode: data?.code, amount: 390, referenceId })
    loot.sales.push(referenceId)
  }
  time.pass(2 * 3_600_000)
  await world.work()
  await shop.setDefaultRule()
  time.pass(3 * 86_400_000)
  return loot
}
