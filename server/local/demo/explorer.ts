// A block explorer for the local chain of `npm run dev`: blocks, transactions, addresses. It reads the node at each request.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createPublicClient, formatEther, type Hex, http, isAddress, isHash, parseAbiItem } from 'viem'
import { anvil as chain } from 'viem/chains'
import { httpError } from '../../src/http/errors.ts'

const shownBlocks = 25n
const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 56rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: 0.5rem 1rem; }
dt { opacity: 0.75; }
dd { margin: 0; overflow-wrap: anywhere; }
li { margin: 0.5rem 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.75rem; } }
`
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function connect(url: string) {
  return createPublicClient({ chain, transport: http(url) })
}
type Client = ReturnType<typeof connect>

/** Contains only addresses, hashes, numbers and words of ours, so nothing has to be escaped. */
type Page = { readonly title: string; readonly body: string }

/** Serves the explorer below `/explorer`, with the addresses that other explorers have: tx, address, block. */
export function registerExplorer(app: FastifyInstance, nodeUrl: string): void {
  const client = connect(nodeUrl)
  const open = { config: { credentials: 'none' as const }, schema: { hide: true } }
  app.get('/explorer', open, async (_request, reply) => sendPage(reply, await listBlocks(client)))
  app.get<{ Params: { number: string } }>('/explorer/block/:number', open, async ({ params }, reply) => {
    if (!/^\d{1,15}$/.test(params.number)) throw httpError('ROUTE_NOT_FOUND')
    return sendPage(reply, await describeBlock(client, BigInt(params.number)))
  })
  app.get<{ Params: { hash: string } }>('/explorer/tx/:hash', open, async ({ params }, reply) => {
    if (!isHash(params.hash)) throw httpError('ROUTE_NOT_FOUND')
    return sendPage(reply, await describeTransaction(client, params.hash))
  })
  app.get<{ Params: { address: string } }>('/explorer/address/:address', open, async ({ params }, reply) => {
    if (!isAddress(params.address, { strict: false })) throw httpError('ROUTE_NOT_FOUND')
    return sendPage(reply, await describeAddress(client, params.address))
  })
}

async function listBlocks(client: Client): Promise<Page> {
  const latest = await client.getBlockNumber()
  const first = latest >= shownBlocks ? latest - shownBlocks + 1n : 0n
  const numbers = Array.from({ length: Number(latest - first) + 1 }, (_, index) => latest - BigInt(index))
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  const items = blocks.map(({ number, timestamp, transactions }) => {
    const list = transactions.map((hash) => `<br>${linkTransaction(hash)}`).join('')
    return `<li>${linkBlock(number)}, ${writeTime(timestamp)}, ${transactions.length} transactions${list}</li>`
  })
  return { title: 'Newest blocks', body: `<ul>\n${items.join('\n')}\n</ul>` }
}

async function describeBlock(client: Client, blockNumber: bigint): Promise<Page> {
  const block = await orNotFound(client.getBlock({ blockNumber }))
  const rows = [
    row('Hash', block.hash),
    row('Time', writeTime(block.timestamp)),
    row('Parent', blockNumber === 0n ? 'none' : linkBlock(blockNumber - 1n)),
    row('Transactions', block.transactions.map(linkTransaction).join('<br>') || 'none'),
  ]
  return { title: `Block ${blockNumber}`, body: `<dl>\n${rows.join('\n')}\n</dl>` }
}

async function describeTransaction(client: Client, hash: Hex): Promise<Page> {
  const transaction = await orNotFound(client.getTransaction({ hash }))
  const receipt = await client.getTransactionReceipt({ hash }).catch(() => undefined)
  const transfers = (await listTransfers(client, receipt?.blockNumber)).filter((one) => one.transactionHash === hash)
  const rows = [
    row('Status', receipt === undefined ? 'not in a block yet' : receipt.status),
    row('Block', receipt === undefined ? 'none' : linkBlock(receipt.blockNumber)),
    row('From', linkAddress(transaction.from)),
    row('To', transaction.to === null ? 'a new contract' : linkAddress(transaction.to)),
    row('Value', `${formatEther(transaction.value)} ETH`),
    row('Token transfers', transfers.map(writeTransfer).join('<br>') || 'none'),
  ]
  return { title: `Transaction ${hash}`, body: `<dl>\n${rows.join('\n')}\n</dl>` }
}

async function describeAddress(client: Client, address: Hex): Promise<Page> {
  const [balance, code, sent] = await Promise.all([
    client.getBalance({ address }),
    client.getCode({ address }),
    client.getTransactionCount({ address }),
  ])
  const own = address.toLowerCase()
  const transfers = (await listTransfers(client)).filter(
    ({ args }) => args.from?.toLowerCase() === own || args.to?.toLowerCase() === own,
  )
  const rows = [
    row('Balance', `${formatEther(balance)} ETH`),
    row('Contract', code === undefined ? 'no' : 'yes'),
    row('Sent', `${sent} transactions`),
    row('Token transfers', transfers.slice(-50).map(writeTransfer).join('<br>') || 'none'),
  ]
  return { title: `Address ${address}`, body: `<dl>\n${rows.join('\n')}\n</dl>` }
}

/** The transfers of all tokens, in one block or in all. A local chain has few. */
function listTransfers(client: Client, block?: bigint) {
  return client.getLogs({ event: transferEvent, fromBlock: block ?? 'earliest', toBlock: block ?? 'latest' })
}

type Transfer = Awaited<ReturnType<typeof listTransfers>>[number]

function writeTransfer({ address, args, transactionHash }: Transfer): string {
  const { from = '0x', to = '0x', value = 0n } = args
  return `${value} units of ${linkAddress(address)} from ${linkAddress(from)} to ${linkAddress(to)}, ${linkTransaction(transactionHash)}`
}

async function orNotFound<T>(found: Promise<T>): Promise<T> {
  return found.catch((error: unknown) => {
    if (error instanceof Error && /NotFoundError$/.test(error.name)) throw httpError('ROUTE_NOT_FOUND')
    throw error
  })
}

const row = (name: string, value: string): string => `<dt>${name}</dt><dd>${value}</dd>`
const linkBlock = (number: bigint): string => `<a href="/explorer/block/${number}">block ${number}</a>`
const linkTransaction = (hash: string): string => `<a href="/explorer/tx/${hash}">${hash}</a>`
const linkAddress = (address: string): string => `<a href="/explorer/address/${address}">${address}</a>`
const writeTime = (seconds: bigint): string => new Date(Number(seconds) * 1_000).toISOString()

function sendPage(reply: FastifyReply, { title, body }: Page): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', 'no-cache')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Local network</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${body}
<p><a href="/explorer">Newest blocks</a> · <a href="/">Start page</a></p>
</body>
</html>
`)
}
