// Every way in which a thief can take money from a shop's balance, and what a thief does around them.
import type { Dice } from './dice.ts'
import { keep, keepVoucher, type Loot } from './loot.ts'
import { type ApiResponse, server, type Shop, wallet } from './shop.ts'

export type Thief = {
  readonly shop: Shop
  readonly dice: Dice
  readonly loot: Loot
  /** Uses what was stolen. A thief with both a key and a session picks one each time. */
  readonly send: (path: string, body: object) => Promise<ApiResponse>
  readonly read: (path: string) => Promise<ApiResponse>
}

type Act = (thief: Thief) => Promise<unknown>

/** From cents to thousands of dollars, and often just the rest of the daily limit or a cent more. */
async function chooseAmount({ dice, shop }: Thief): Promise<number> {
  const choice = dice.between(1, 20)
  if (choice <= 9) return dice.between(1_00, 60_00) / 100
  if (choice <= 11) return dice.between(100_00, 999_99) / 100
  if (choice === 12) return dice.between(1_000_00, 9_000_00) / 100
  const { data } = await shop.readBySession('/merchant/outflow-limits')
  const cents = 1_000_00 - Math.round(Number(data?.total) * 100) + dice.between(-1, 1)
  return (cents > 0 ? cents : dice.between(990_00, 1_000_00)) / 100
}

/** Mostly dollars, sometimes euros, and kronor, which have no rate. */
function chooseCurrency({ dice }: Thief): string {
  return dice.pick(['USD', 'USD', 'USD', 'EUR', 'SEK']) ?? 'USD'
}

/** Sends a request. A pending outflow counts against the next one, so the thief mostly cancels it. */
async function request(thief: Thief, path: string, body: object): Promise<ApiResponse> {
  const { shop, dice, loot, send } = thief
  const referenceId = shop.world.newId()
  const response = await send(`${server}/${path}`, { ...body, referenceId })
  if (response.status !== 'PENDING') return response
  if (dice.isOneIn(12)) keep(loot.waiting, referenceId)
  else await send(`${server}/outflows/${referenceId}/cancel`, {})
  return response
}

async function payOut(thief: Thief, recipient: string, from = chooseCurrency(thief), to = from): Promise<ApiResponse> {
  return request(thief, 'payout', {
    ...{ amount: await chooseAmount(thief), fromCurrencyAbbreviation: from, toCurrencyAbbreviation: to },
    platformUsernameOrEmail: recipient,
  })
}

const payKnown: Act = (thief) => payOut(thief, thief.dice.pick(thief.loot.recipients) ?? '')
const payConverted: Act = (thief) => payOut(thief, thief.dice.pick(thief.loot.recipients) ?? '', 'USD', 'EUR')
/** An amount in many small rows, one of them perhaps to a new recipient. */
const payFile: Act = async (thief) => {
  const { dice, loot, send, shop } = thief
  const [rows, total] = [dice.between(2, 6), await chooseAmount(thief)]
  const each = Math.max(1, Math.floor((total * 100) / rows)) / 100
  const recipients = Array.from({ length: rows }, () => dice.pick(loot.recipients) ?? '')
  if (dice.isOneIn(6)) recipients.push(await shop.addRecipient())
  const lines = recipients.map((recipient) => `${recipient},${each},${shop.world.newId()}`)
  const file = { csv: ['recipient,amount,reference', ...lines].join('\n'), currency: chooseCurrency(thief) }
  const { data } = await send(`${server}/payout-batches`, file)
  const check = data?.check as { confirmation: string } | undefined
  await request(thief, 'payout-batches', { ...file, confirmation: check?.confirmation ?? 'x' })
}
/** Left pending: below the threshold it leaves a day later without approval. */
const payNew: Act = async (thief) => {
  const { shop, loot, dice, send } = thief
  const recipient = await shop.addRecipient()
  const currencies = { fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' }
  const body = { amount: await chooseAmount(thief), ...currencies, platformUsernameOrEmail: recipient }
  await send(`${server}/payout`, body)
  keep(loot.recipients, recipient)
  // A patient thief comes back when the waiting time is over.
  if (dice.isOneIn(4)) shop.time.pass(dice.between(24, 26) * 3_600_000)
}

const issue: Act = async (thief) => {
  const { dice, shop } = thief
  const soon = new Date(shop.time.clock().getTime() + dice.between(1, 48) * 3_600_000).toISOString()
  const body = { amount: await chooseAmount(thief), currency: chooseCurrency(thief) }
  keepVoucher(thief.loot, await request(thief, 'vouchers', dice.isOneIn(3) ? { ...body, expiresAt: soon } : body))
}
const issueBatch: Act = async (thief) => {
  const [size, total] = [thief.dice.between(1, 4), await chooseAmount(thief)]
  const amount = Math.max(1, Math.floor((total * 100) / size)) / 100
  await request(thief, 'voucher-batches', { size, amount, currency: chooseCurrency(thief) })
}
const importVouchers: Act = async (thief) => {
  const code = `C${thief.shop.world.newId().replaceAll('-', '').slice(-14).toUpperCase()}`
  const file = { csv: `code,balance\n${code},${await chooseAmount(thief)}\n`, currency: chooseCurrency(thief) }
  const { data } = await thief.send(`${server}/voucher-imports`, file)
  const trial = data?.trial as { confirmation: string } | undefined
  await request(thief, 'voucher-imports', { ...file, confirmation: trial?.confirmation ?? 'x' })
}
const replace: Act = async (thief) => {
  const voucher = thief.dice.pick(thief.loot.vouchers)
  if (voucher !== undefined) keepVoucher(thief.loot, await request(thief, `vouchers/${voucher.id}/replace`, {}))
}

const submitInvoice: Act = async (thief) => {
  const { dice, loot, send, read, shop } = thief
  const email = dice.isOneIn(3) ? `i-${shop.world.newId().slice(-12)}@example.com` : 'painter@example.com'
  await send(`${server}/create-invoice`, {
    ...{ currencyAbbreviation: dice.isOneIn(4) ? 'EUR' : 'USD', dueDate: '2090-01-01', invoiceDate: '2026-01-01' },
    ...{ email, fullName: 'X', merchantCode: shop.code },
    invoiceItems: [{ description: 'x', quantity: 1, unitPrice: await chooseAmount(thief) }],
  })
  const { data } = await read(`${server}/fetch-invoice?filter=Pending&limit=1`)
  const [invoice] = (data?.invoices ?? []) as { id: string }[]
  if (invoice === undefined) return
  keep(loot.invoices, invoice.id)
  keep(loot.waiting, `invoice-${invoice.id}`)
  await send(`${server}/approve-invoice`, { invoiceID: invoice.id })
  if (dice.isOneIn(2)) await send(`${server}/outflows/invoice-${invoice.id}/cancel`, {})
}
const payInvoice: Act = async ({ dice, loot, send }) =>
  send(`${server}/pay-invoice`, { invoiceID: dice.pick(loot.invoices) ?? '' })

/** Always with the session, because a key cannot approve. Wrong PINs lock the accountant out, so thieves try few. */
const approve: Act = async ({ dice, loot, shop }) => {
  const confirmation = dice.isOneIn(50) ? { pin: String(dice.between(100_000, 135_789)) } : {}
  await shop.bySession(`/merchant/outflows/${dice.pick(loot.waiting) ?? 'none'}/approve`, confirmation)
}
const cancelWaiting: Act = ({ dice, loot, send }) =>
  send(`${server}/outflows/${dice.pick(loot.waiting) ?? 'none'}/cancel`, {})

const redeemIntoWallet: Act = ({ dice, loot, shop }) =>
  shop.byThief(`${wallet}/vouchers/redeem`, { code: dice.pick(loot.vouchers)?.code ?? 'none' })
const redeemAtShop: Act = async ({ dice, loot, shop, send }) => {
  const referenceId = shop.world.newId()
  const sale = { voucherCode: dice.pick(loot.vouchers)?.code ?? 'none', amount: 'max', referenceId }
  if ((await send('/merchant-integrations/redeem-voucher', sale)).code === 200) keep(loot.sales, referenceId)
}
const reopen: Act = ({ dice, loot, send }) =>
  send(`${server}/vouchers/${dice.pick(loot.vouchers)?.id ?? 'none'}/reopen`, {})
const cancelVoucher: Act = ({ dice, loot, send }) => {
  const voucher = dice.pick(loot.vouchers)
  return send(`${server}/vouchers/${voucher?.id ?? 'none'}/cancel`, { voucherCode: voucher?.code ?? 'none' })
}

const changeLimits: Act = ({ send }) =>
  send('/merchant/outflow-limits', { daily: 'none', approvalAbove: 'none', newRecipientHours: 0 })
const inviteAccomplice: Act = ({ send, shop }) =>
  send('/merchant/members', { email: `a-${shop.world.newId().slice(-12)}@example.com`, role: 'owner' })

/** An act that is listed more often is picked more often. */
export const acts: readonly Act[] = [
  ...[payKnown, payKnown, payKnown, payKnown, payConverted, payNew, payFile, payFile],
  ...[issue, issue, issue, issue, issueBatch, importVouchers, replace, submitInvoice, payInvoice],
  ...[approve, cancelWaiting, cancelWaiting, redeemIntoWallet, redeemAtShop, reopen, cancelVoucher],
  ...[changeLimits, inviteAccomplice],
]
