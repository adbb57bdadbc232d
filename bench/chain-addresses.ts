// The cost of finding our addresses among the recipients of a block, with 10, 10,000 and 1,000,000 addresses: time, memory
// and calls to a node.
//   npm run bench -- chain-addresses [short]
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startAnvil } from '../server/local/parts/anvil.ts'
import { prepareChain } from '../server/local/parts/chain.ts'
import { asRole, cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startNodeProxy } from '../server/local/drill/node-proxy.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { systemClock } from '../server/src/base/clock.ts'
import { createPool } from '../server/src/base/db.ts'
import { createRpc } from '../server/src/chain/rpc.ts'
import type { Measured } from './chain-reader.ts'
import { median } from './post-load.ts'
import { checkRatios } from './thresholds.ts'

/** Documented: 2 ms for 10 addresses and less than 10 ms for a million, which is a ratio of 5. */
const lookUpRatioMax = 10
const sizes = process.argv.includes('short') ? [10, 10_000] : [10, 10_000, 1_000_000]
const [recipients, oursAmong, blocks] = [1_000, 5, 5]

const postgres = await startPostgres({ settings: { shared_buffers: '512MB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const owner = createPool(ownerUrl)
const anvil = await startAnvil(['--slots-in-an-epoch', '1', '--gas-limit', '100000000'])
await prepareChain(owner, anvil.url)
const rpc = createRpc([anvil.url], systemClock)
const [account] = await rpc.call<string[]>('eth_accounts', [])
await rpc.call('evm_setAutomine', [false])

// Counts calls about an existing block, and separately the polls for a new or final block.
const callCounts = { aboutBlocks: 0, polls: 0 }
const headers = { 'content-type': 'application/json' }
const proxy = await startNodeProxy(
  () => anvil.url,
  async (call, pass) => {
    const body = await pass(call)
    const isBlock = call.params[1] === true && body.result !== null
    callCounts[isBlock || call.method === 'eth_getBlockReceipts' ? 'aboutBlocks' : 'polls']++
    return { status: 200, body }
  },
)

/** Mines a block with many recipients, a few of them ours, and waits until it is read. */
async function payMany(): Promise<void> {
  const { rows } = await owner.query<{ address: string }>(
    'select address from chain_addresses order by random() limit $1',
    [oursAmong],
  )
  const others = Array.from({ length: recipients - rows.length }, () => `0x${randomBytes(20).toString('hex')}`)
  const calls = [...rows.map(({ address }) => address), ...others].map((to, id) => {
    return {
      jsonrpc: '2.0',
      id,
      method: 'eth_sendTransaction',
      params: [{ from: account, to, value: '0x1', gas: '0x5208' }],
    }
  })
  await (await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(calls) })).arrayBuffer()
  await mine()
}

/** Mines a block and waits until it is read. */
async function mine(): Promise<void> {
  await rpc.call('anvil_mine', ['0x1'])
  const head = BigInt(await rpc.call<string>('eth_blockNumber', []))
  while ((await owner.query('select from chain_blocks where number = $1', [head])).rowCount === 0) await sleep(20)
}

const medians: number[] = []
const results: string[] = []
for (const [i, size] of sizes.entries()) {
  await owner.query(
    `insert into chain_addresses (network_id, address, owner_id, salt)
      select id, '0x' || left(encode(sha256(n::text::bytea), 'hex'), 40), gen_random_uuid(), '' from networks,
        generate_series($1::integer, $2) as n where abbreviation = 'LOCAL'`,
    [(sizes[i - 1] ?? 0) + 1, size],
  )
  await owner.query('vacuum analyze chain_addresses')
  const reader = fork(join(import.meta.dirname, 'chain-reader.ts'), [
    asRole(url, 'scrip_chain'),
    proxy.url,
    `${recipients}`,
    `${oursAmong}`,
  ])
  await once(reader, 'message')
  // Blocks from before this point are read first.
  await mine()
  const [before, startMs] = [{ ...callCounts }, performance.now()]
  for (let block = 0; block < blocks; block++) await payMany()
  const perBlock = (callCounts.aboutBlocks - before.aboutBlocks) / blocks
  const perSecond = ((callCounts.polls - before.polls) * 1_000) / (performance.now() - startMs)
  reader.send('report')
  const [{ timesMs, grownBytes }] = (await once(reader, 'message')) as [Measured]
  reader.disconnect()
  const { rows } = await owner.query<{ seen: bigint }>('select count(*) as seen from chain_payments')
  if (rows[0]?.seen !== BigInt((i + 1) * blocks * oursAmong)) throw new Error(`${rows[0]?.seen} payments were recorded`)
  if (perBlock > 2) throw new Error(`${perBlock} requests per block`)
  const p99Ms = timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0
  medians.push(median(timesMs))
  const result = {
    median_ms: median(timesMs).toFixed(2),
    p99_ms: p99Ms.toFixed(2),
    rss_growth_mib: grownBytes >> 20,
    requests_per_block: perBlock.toFixed(2),
    polls_per_second: perSecond.toFixed(1),
  }
  const fields = Object.entries(result).map(([name, value]) => `${name}_${size}=${value}`)
  console.log(fields.join(' '))
  results.push(...fields)
}
await proxy.stop()
await owner.end()
await anvil.stop()
await postgres.stop()
const ratio = (medians.at(-1) ?? 0) / (medians[0] ?? 0)
if (!checkRatios('chain-addresses', [{ name: 'ratio', ratio, max: lookUpRatioMax }])) process.exitCode = 1
console.log(`chain-addresses recipients=${recipients} ${results.join(' ')}`)
