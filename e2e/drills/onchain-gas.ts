// Redemptions to addresses while gas prices move between quote, signature and block: the payer pays what was quoted, to the wei, and the
// difference to what the network took is on the gas accounts.
//   npm run drill -- onchain-gas [short]
import { encodeFunctionData, erc20Abi } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { payoutKey, voucherKey } from '../../server/local/parts/anvil.ts'
import { type Connection, withConnections } from '../../server/local/drill/api-process.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { settle } from '../onchain/check.ts'
import { type Quoted, quoteOf } from '../onchain/gas-quote.ts'
import { createKiller } from '../onchain/killer.ts'
import { createWorld, pick, sendOrThrow, until, type World } from '../onchain/world.ts'
import { runParts } from '../run-parts.ts'
import type { Merchant } from '../voucher-lifecycle/world.ts'

const isShort = process.argv.includes('short')
const wanted = isShort ? 40 : 500
// A voucher takes one redemption at a time, and one that was signed while gas was cheap waits 15 s for a higher price.
const perVoucher = isShort ? 2 : 5
const gweiRange = isShort ? ([50, 170] as const) : ([5, 300] as const)
let wallets = 0
const newWallet = (): string => `0x${(0x9a5_0000_0000n + BigInt(wallets++)).toString(16).padStart(40, '0')}`

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const quoted = new Map<string, Quoted>()
let [overpaid, aboveExact, byAdmin, keptWei] = [0, 0, 0, 0n]
let fees: [lowest: bigint, highest: bigint] = [0n, 0n]

await runParts(faults, stops, () => createWorld(stops, createKiller(0, 0, 0)), [
  ['redemptions with moving gas prices', redeemAll],
  // Every redemption must get through: none may reach its deadline.
  ['waiting until nothing is on its way', (world) => settle(world, Infinity)],
  ['quotes against the ledger', compareQuotes],
  ['gas accounts against receipts', compareGas],
  ['ledger', async ({ pool }: World) => void faults.push(...(await verifyLedger(pool)))],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `onchain-gas redemptions=${quoted.size} by_admin=${byAdmin} overpaid=${overpaid} above_2_53=${aboveExact} ` +
    `gas_price=${fees.join('..')} kept_wei=${keptWei} faults=${faults.length} seconds=${seconds}`,
)
process.exit(faults.length === 0 && overpaid === 0 ? 0 : 1)

async function redeemAll(world: World): Promise<void> {
  const { merchant, other, api, pool } = world
  await fundKeys(world)
  void moveGasPrice(world)
  await withConnections([api], 4, async (connections) => {
    const [first] = connections
    for (const currency of ['ETH', 'USDT', 'USD'])
      for (const owner of [merchant, other]) {
        const amount = currency === 'ETH' ? 2_000 : 1_000_000
        await sendOrThrow(first, owner.post('/sandbox/fund', { amount, currency }))
        await sendOrThrow(first, owner.post('/sandbox/fund', { amount, currency, account: 'admin' }))
      }
    const settings = '/merchant-integrations/update-admin-charges'
    await first.send(other.post(settings, { takeChargesFromWallet: true }))
    const codes = await issueAll(first, merchant)
    await until(
      world,
      `select from onchain_vouchers where state = 'open' having count(*) = ${codes.onchain.length}`,
      'all vouchers are on their network',
    )
    let next = 0
    const work = async (connection: Connection): Promise<void> => {
      while (next < wanted) await redeemOne(connection, pick([merchant, other]), codes, next++)
    }
    await Promise.all(connections.map(work))
  })
  await until({ pool }, 'select from transactions', 'something was redeemed')
}

type Codes = { readonly onchain: readonly { code: string; currency: string }[]; readonly offchain: readonly string[] }

async function issueAll(connection: Connection, merchant: Merchant): Promise<Codes> {
  const issue = (body: object): Promise<{ code: string }> =>
    sendOrThrow(connection, merchant.post('/sandbox/vouchers', body))
  const onchain = []
  for (let i = 0; i < wanted / perVoucher; i++) {
    const currency = i % 2 === 0 ? 'ETH' : 'USDT'
    const amount = currency === 'ETH' ? 5 : 5_000
    onchain.push({ currency, code: (await issue({ amount, currency, onchain: true })).code })
  }
  const offchain = []
  for (let i = 0; i < 4; i++) offchain.push((await issue({ amount: 100_000, currency: 'USD' })).code)
  return { onchain, offchain }
}

/** Quotes and redeems at that quote. An onchain voucher may be on its way: then another request is made. */
async function redeemOne(connection: Connection, merchant: Merchant, codes: Codes, i: number): Promise<void> {
  for (;;) {
    const isOnchain = i % 2 === 0
    const { code, currency } = isOnchain ? pick(codes.onchain) : { code: pick(codes.offchain), currency: 'USD' }
    const toCurrency = i % 4 === 1 ? 'ETH' : 'USDT'
    const target = isOnchain ? {} : { toCurrencyAbbreviation: toCurrency, blockchainNetworkAbbreviation: 'LOCAL' }
    // Above what the gas costs, so that the admin balance may pay it.
    const amount = currency === 'ETH' ? '0.2' : '400'
    const wish = { voucherCode: code, amount, walletAddress: newWallet(), ...target }
    const quote = await quoteOf(connection, merchant, wish)
    if (quote === undefined) continue
    const referenceId = `gas-${i}`
    const body = { ...wish, referenceId, quoteId: quote.quoteId }
    const { status, body: text } = await connection.send(merchant.post('/merchant-integrations/redeem-voucher', body))
    if (status === 200) return void quoted.set(referenceId, quote)
    if (!/REDEMPTION_PROCESSING|QUOTE_STALE/.test(text)) throw new Error(`The drill cannot continue: ${text}`)
  }
}

/** The keys of the local network pay 500 times 0.2 ETH and 400 USDT. */
async function fundKeys({ callNode, token }: World): Promise<void> {
  const [from] = await callNode<string[]>('eth_accounts')
  for (const key of [payoutKey, voucherKey] as const) {
    const holder = privateKeyToAddress(key)
    await callNode('anvil_setBalance', holder, `0x${(10n ** 23n).toString(16)}`)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [holder, 10n ** 13n] })
    await callNode('eth_sendTransaction', { from, to: token, data, gas: '0x186a0' })
  }
}

/** Another gas price in each block. */
async function moveGasPrice({ callNode, mining }: World): Promise<void> {
  const [low, high] = gweiRange
  while (mining.isOn) {
    const gwei = low + Math.floor(Math.random() * (high - low))
    await callNode('anvil_setNextBlockBaseFeePerGas', `0x${(BigInt(gwei) * 10n ** 9n).toString(16)}`).catch(
      () => undefined,
    )
    await new Promise((done) => setTimeout(done, 100))
  }
}

type Row = {
  readonly reference: string
  readonly status: string
  readonly gasWei: bigint
  readonly fromVoucher: bigint
  readonly fromAdmin: bigint
}

/** What left the voucher and the admin balance is what the quote said, whatever the network took. */
async function compareQuotes({ pool }: World): Promise<void> {
  const { rows } = await pool.query<Row>(
    `select t.reference, t.status, a.gas_wei as "gasWei",
        coalesce((select sum(amount) from ledger_transfers l where l.journal_id = t.id and l.from_kind = 'voucher'), 0) as "fromVoucher",
        coalesce((select sum(amount) from ledger_transfers l where l.journal_id = t.id and l.from_kind = 'merchant_admin'), 0) as "fromAdmin"
      from address_redemptions a join transactions t on t.environment_id = a.environment_id and t.id = a.id`,
  )
  for (const { reference, status, gasWei, fromVoucher, fromAdmin } of rows) {
    const quote = quoted.get(reference)
    if (quote === undefined) continue
    if (status !== 'COMPLETED') faults.push(`${reference} is ${status}`)
    if (fromVoucher > quote.deducted || fromAdmin > quote.charge) overpaid++
    const adminPays = quote.chargedTo === 'merchant' ? quote.charge : 0n
    if (adminPays > 0n) byAdmin++
    if (fromVoucher !== quote.deducted)
      faults.push(`${reference}: the voucher paid ${fromVoucher} of ${quote.deducted}`)
    if (fromAdmin !== adminPays) faults.push(`${reference}: the admin balance paid ${fromAdmin} of ${adminPays}`)
    // There is no fee rule, so the whole charge is gas. A vault rounds it up to the unit of its token, less than 10^9 wei.
    if (quote.wei < gasWei || quote.wei - gasWei >= 10n ** 9n)
      faults.push(`${reference}: the API said ${quote.wei} wei, the quote is ${gasWei}`)
    if (gasWei > 2n ** 53n) aboveExact++
  }
  const found = rows.filter(({ reference }) => quoted.has(reference)).length
  if (found !== quoted.size) faults.push(`${found} of ${quoted.size} redemptions are stored`)
  if (aboveExact === 0) faults.push('no gas was above 2^53 wei')
  if (byAdmin === 0) faults.push('the admin balance never paid')
}

/** Charged minus spent, by the receipts of the node. */
async function compareGas({ pool, callNode, networkId }: World): Promise<void> {
  const { rows: sends } = await pool.query<{ hash: string; fee: bigint }>(
    'select tx_hash as hash, fee from chain_sends where tx_hash is not null',
  )
  let spent = 0n
  for (const { hash, fee } of sends) {
    const receipt = await callNode<{ gasUsed: string; effectiveGasPrice: string }>('eth_getTransactionReceipt', hash)
    const price = BigInt(receipt.effectiveGasPrice)
    const cost = BigInt(receipt.gasUsed) * price
    if (cost !== fee) faults.push(`${hash} cost ${cost} wei, ${fee} were recorded`)
    spent += cost
    fees = [fees[0] === 0n || price < fees[0] ? price : fees[0], price > fees[1] ? price : fees[1]]
  }
  const { rows } = await pool.query<{ currency: string; charged: bigint; balance: bigint }>(
    `select b.currency, g.balance, coalesce((select sum(a.gas) from address_redemptions a
        join transactions t on t.environment_id = a.environment_id and t.id = a.id and t.status = 'COMPLETED'
        where t.book_id = b.id), 0) as charged
      from ledger_accounts g join ledger_books b on b.id = g.book_id where g.owner_id = $1 and g.kind::text = 'gas'`,
    [networkId],
  )
  for (const { currency, charged, balance } of rows) {
    const due = currency === 'ETH' ? charged - spent : charged
    if (balance !== due) faults.push(`the gas account in ${currency} has ${balance}, charged minus spent is ${due}`)
    if (currency === 'ETH') keptWei = balance
  }
  if (rows.length < 3) faults.push('there are fewer gas accounts than currencies that paid')
}
