// `npm run deploy -w contracts` deploys the deposit factory to a network and tests it there. RPC_URL is the network,
// DEPLOYER_KEY pays, TREASURY receives what the test moves, TOKEN is optional.
// `npm run deploy -w contracts -- vault` does the same with a voucher vault for TOKEN, or for coin without it. OWNER
// administers the vault, OPERATOR relays redemptions of vouchers with a PIN. The test uses AMOUNT, or 30,000 of the smallest
// unit.
// Exits with 1 if the network or the vault must not be activated.
import { randomBytes } from 'node:crypto'
import {
  type Address,
  bytesToHex,
  createPublicClient,
  createWalletClient,
  defineChain,
  getAddress,
  type Hex,
  http,
  publicActions,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { chooseFactory } from './deploy.ts'
import { deployVault, vaultSelfTest } from './deploy-vault.ts'
import type { DeployClient } from './network.ts'

function need(name: string): string {
  const value = process.env[name]
  if (value !== undefined) return value
  console.error(`Set ${name}.`)
  process.exit(2)
}

function needAddress(name: string): Address {
  return getAddress(need(name))
}

async function connect(): Promise<DeployClient> {
  const url = need('RPC_URL')
  const account = privateKeyToAccount(need('DEPLOYER_KEY') as Hex)
  const transport = http(url)
  const id = await createPublicClient({ transport }).getChainId()
  const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 }
  const chain = defineChain({ id, name: String(id), nativeCurrency, rpcUrls: { default: { http: [url] } } })
  return createWalletClient({ account, chain, transport }).extend(publicActions)
}

function refuse(what: string, faults: string[]): never {
  console.error(`${what} must not be activated:\n${faults.join('\n')}`)
  process.exit(1)
}

const token = process.env['TOKEN'] === undefined ? undefined : getAddress(process.env['TOKEN'])

if (process.argv[2] === 'vault') {
  const terms = { asset: token ?? zeroAddress, owner: needAddress('OWNER'), operator: needAddress('OPERATOR') }
  const recipient = needAddress('TREASURY')
  const client = await connect()
  const vault = await deployVault(client, terms)
  const amount = process.env['AMOUNT'] === undefined ? undefined : BigInt(process.env['AMOUNT'])
  const trial = { vault: vault.address, asset: terms.asset, recipient, amount, claimKey: generatePrivateKey() }
  const faults = await vaultSelfTest(client, trial)
  if (faults.length > 0) refuse(`Vault ${vault.address} on network ${client.chain.id}`, faults)
  console.log(JSON.stringify({ chainId: client.chain.id, ...terms, ...vault }))
} else {
  const treasury = needAddress('TREASURY')
  const client = await connect()
  const { factory, faults } = await chooseFactory(client, { treasury, token, salt: bytesToHex(randomBytes(32)) })
  if (factory === undefined) refuse(`Network ${client.chain.id}`, faults)
  console.log(JSON.stringify({ chainId: client.chain.id, ...factory, faults }))
}
