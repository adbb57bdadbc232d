import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import { createPool } from '../../base/db.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { maxAmountFor, offersFor, takenBy } from '../redeem/offer.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.settle()
  await world.settle()
})
afterAll(() => world.stop())

const currency = { code: 'ETH', decimals: 18, amountMin: 10n ** 12n, amountMax: 10n ** 23n } as CatalogueCurrency
const rate = { numerator: 1n, denominator: 1n }
const upTo = (max: bigint): bigint => BigInt(Math.floor(Math.random() * Number(max)))

test('over 20,000 random terms, the admin balance is never offered a charge above the amount, nor a voucher more than it holds', () => {
  for (let i = 0; i < 20_000; i++) {
    const gas = upTo(10n ** BigInt(10 + (i % 8)))
    const unit = i % 2 === 0 ? 1n : 10n ** 12n
    const rule = { fixed: i % 3 === 0 ? upTo(10n ** 14n) : 0n, sharePpm: i % 5 === 0 ? upTo(50_000n) : 0n }
    const terms = { rule, discountPpm: i % 7 === 0 ? upTo(1_000_000n) : 0n, gas, unit }
    const available = (upTo(10n ** BigInt(12 + (i % 7))) / unit) * unit
    const wanted = ((10n ** 12n + upTo(10n ** BigInt(12 + (i % 5)))) / unit) * unit
    const amount = i % 6 === 0 ? 'max' : wanted
    const request = { amount, currency, to: currency, rate, terms, takesFromBalance: true, available } as const
    const offers = (() => {
      try {
        return offersFor(request)
      } catch {
        return []
      }
    })()
    for (const offer of offers) {
      if (offer.chargedTo === 'merchant') expect(offer.charge <= offer.amount, `${i}`).toBe(true)
      if (amount === 'max') expect(takenBy(offer) <= available, `${i}`).toBe(true)
      // What a vault pays is in its own unit.
      expect([offer.amount % unit, offer.charge % unit], `${i}`).toEqual([0n, 0n])
      expect(offer.charge >= gas || gas === 0n, `${i}`).toBe(true)
    }
    const most = maxAmountFor(request, 0n)
    if (gas > 0n && most > 0n)
      expect(takenBy(offersFor({ ...request, amount: most, takesFromBalance: false })[0]) <= available, `${i}`).toBe(
        true,
      )
  }
})

test('1,000 dust redemptions to addresses never cost the admin balance more than what was redeemed', async () => {
  const { environmentId } = world.ours
  await world.post('/merchant-integrations/update-admin-charges', { takeChargesFromWallet: true })
  await world.fund('0.02', { currency: 'ETH', account: 'admin' })
  const code = await world.voucher(1, { currency: 'ETH' })
  const owner = createPool(world.ownerUrl, 1)
  const adminOf = async (): Promise<bigint> => {
    const { rows } = await owner.query<{ balance: bigint }>(
      `select balance from ledger_accounts where owner_id = $1 and kind = 'merchant_admin'`,
      [environmentId],
    )
    return rows[0]?.balance ?? 0n
  }
  const before = await adminOf()
  let [redeemed, next] = [0n, 0]
  const statuses = new Map<number, number>()
  const redeemOn = async (): Promise<void> => {
    while (next < 1_000) {
      const i = next++
      // Gas costs about 10^14 wei. Half of these redeem less.
      const wei = 10n ** 12n + upTo(i % 2 === 0 ? 10n ** 14n : 4n * 10n ** 14n)
      const walletAddress = `0x${(0xd057_0000n + BigInt(i)).toString(16).padStart(40, '0')}`
      const amount = `0.${wei.toString().padStart(18, '0')}`
      const where = { walletAddress, toCurrencyAbbreviation: 'ETH', blockchainNetworkAbbreviation: 'LOCAL' }
      const wish = { voucherCode: code, amount, ...where }
      const quote = await world.post('/merchant-integrations/fetch-voucher-redemption-charges', wish)
      const [, quoteId] = /"quoteId":"([^"]+)"/.exec(quote.text) ?? []
      const reply = await world.redeem({ ...wish, quoteId, referenceId: `dust-${i}` })
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      if (reply.status === 200) redeemed += wei
      // The amount is counted after the charge was paid, so this holds at any time.
      if (i % 50 === 0) expect(before - (await adminOf()) <= redeemed + 8n * 4n * 10n ** 14n).toBe(true)
    }
  }
  await Promise.all(Array.from({ length: 8 }, redeemOn))
  const { rows } = await owner.query<{ amount: bigint; charge: bigint; to: string }>(
    `select amount, charge, charged_to as "to" from redemptions where environment_id = $1`,
    [environmentId],
  )
  const byAdmin = rows.filter(({ to }) => to === 'merchant')
  expect(byAdmin.filter(({ amount, charge }) => charge > amount)).toEqual([])
  const [paid, got] = byAdmin.reduce(([a, b], { amount, charge }) => [a + charge, b + amount], [0n, 0n])
  expect(before - (await adminOf())).toBe(paid)
  expect(paid <= got).toBe(true)
  // Both ways occurred, and nothing else.
  expect([rows.length > byAdmin.length, byAdmin.length > 0, (statuses.get(200) ?? 0) === rows.length]).toEqual([
    true,
    true,
    true,
  ])
  await owner.end()
}, 180_000)
