// What `npm run dev` prints when it is ready: addresses, keys, present balances and a first request.
import { relative } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { DemoWorld } from './demo.ts'

type Dev = {
  readonly app: Pick<FastifyInstance, 'inject'>
  readonly world: DemoWorld
  readonly address: string
  readonly chainUrl: string
  readonly redisUrl: string | undefined
  readonly folder: string
}

/** Asks the API itself for the balances, because a second start continues with what the first one spent. */
export async function describeDev({ app, world, address, chainUrl, redisUrl, folder }: Dev): Promise<string> {
  const { merchant, vouchers, user, staff } = world
  const headers = { authorization: `Bearer ${merchant.publicKey}`, 'x-api-private-key': merchant.secretKey }
  const balanceAt = async (url: string, payload?: object): Promise<string> => {
    const reply = await app.inject({
      method: payload === undefined ? 'GET' : 'POST',
      url,
      headers,
      ...(payload && { payload }),
    })
    const { data, message } = reply.json<{ data?: { balance: number }; message: string }>()
    return data === undefined ? message : `${data.balance.toFixed(2)} USD`
  }
  const voucherBalance = ({ code }: { code: string }): Promise<string> =>
    balanceAt('/merchant-integrations/verify-voucher', { voucherCode: code })
  const shopBalance = await balanceAt('/merchant-integrations/fetch-balance?currencyAbbreviation=USD')
  const plainBalance = await voucherBalance(vouchers.plain)
  const lockedBalance = await voucherBalance(vouchers.locked)
  const files = relative(process.cwd(), folder) || '.'
  return `
  Scrip is ready, in test mode.

  Start here   ${address}
  Reference    ${address}/docs
  Merchant     Demo Shop (${merchant.code}), balance ${shopBalance}
  Public key   ${merchant.publicKey}
  Secret key   ${merchant.secretKey}
  All details  ${files}/dev.json
  Email        ${files}/mail/ has every email
  Chain        ${chainUrl}, a block a second, shown at ${address}/explorer${redisUrl === undefined ? '' : `\n  Redis        ${redisUrl}`}

  Wallet       ${address}/app?mode=test
               ${user.email}, password "${user.password}", PIN ${user.pin}
  Dashboard    ${address}/dashboard/${merchant.code}/test
               ${staff.owner.email} or, at a till, ${staff.cashier.email}; same password and PIN

  Voucher      ${vouchers.plain.code}  with ${plainBalance}
  Voucher page ${address}/v#${vouchers.plain.code}
  Locked       ${vouchers.locked.code}  with PIN ${vouchers.locked.pin} and ${lockedBalance}
  Invoice form ${address}/invoice?to=${merchant.code}&mode=test
  Commands     npm run scrip -- --help

  Try:
  curl -H "Authorization: Bearer ${merchant.publicKey}" -H "Content-Type: application/json" \\
    -d '{"voucherCode":"${vouchers.plain.code}","amount":10,"referenceId":"order-${Date.now().toString(36)}"}' \\
    "${address}/merchant-integrations/redeem-voucher"

  Requests follow, one per line. Ctrl-C stops everything.
`
}
