// `npm run deploy -w contracts`: brings the deposit factory to a network and tests it there. Exits with 1 where the network must not be
// activated. RPC_URL names the network, DEPLOYER_KEY pays for it, TREASURY receives what the test moves, TOKEN is optional.
import { randomBytes } from 'node:crypto'
import {
  bytesToHex,
  createPublicClient,
  createWalletClient,
  defineChain,
  getAddress,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { chooseFactory } from './deploy.ts'

const { RPC_URL, DEPLOYER_KEY, TREASURY, TOKEN } = process.env
if (RPC_URL === undefined || DEPLOYER_KEY === undefined || TREASURY === undefined) {
  console.error('Set RPC_URL, DEPLOYER_KEY and TREASURY.')
  process.exit(2)
}
const transport = http(RPC_URL)
const id = await createPublicClient({ transport }).getChainId()
const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 }
const chain = defineChain({ id, name: String(id), nativeCurrency, rpcUrls: { default: { http: [RPC_URL] } } })
const account = privateKeyToAccount(DEPLOYER_KEY as Hex)
const chosen = await chooseFactory(createWalletClient({ account, chain, transport }).extend(publicActions), {
  treasury: getAddress(TREASURY),
  token: TOKEN === undefined ? undefined : getAddress(TOKEN),
  salt: bytesToHex(randomBytes(32)),
})
if (chosen.factory === undefined) {
  console.error(`Network ${id} must not be activated:\n${chosen.faults.join('\n')}`)
  process.exit(1)
}
console.log(JSON.stringify({ chainId: id, ...chosen.factory, faults: chosen.faults }))
