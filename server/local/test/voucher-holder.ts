// The holder of an onchain voucher, who redeems it on its network without the platform.
import { encodeFunctionData, type Hex, padHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { voucherVaultAbi } from '../../src/chain/voucher-vault.gen.ts'
import { claimKeyOf, codeHashOf, type Redemption, signRedemption } from '../../src/vouchers/code/claim.ts'
import { voucherKey } from '../parts/anvil.ts'

type Held = { readonly code: string; readonly vault: Hex; readonly chainId: number }

const noRef = padHex('0x', { size: 32 })
const farAway = 2 ** 39

/** Deriving a key takes 25 ms, and a drill asks for each many times. */
const keys = new Map<string, Promise<Hex>>()
function keyOf({ code, vault, chainId }: Held): Promise<Hex> {
  const name = `${chainId} ${vault} ${code}`
  const known = keys.get(name) ?? claimKeyOf(code, { chainId, vault })
  keys.set(name, known)
  return known
}

/** The name of a voucher in its vault. */
export async function codeHashIn(held: Held): Promise<Hex> {
  const claimKey = privateKeyToAddress(await keyOf(held))
  return codeHashOf(privateKeyToAddress(voucherKey), claimKey)
}

/** The call of the vault that pays, which anybody may send. */
export async function directRedemption(
  held: Held,
  wanted: Pick<Redemption, 'recipient' | 'amount' | 'nonce'> & Partial<Redemption>,
): Promise<{ readonly to: Hex; readonly data: Hex }> {
  const { vault, chainId } = held
  const redemption: Redemption = {
    codeHash: await codeHashIn(held),
    fee: 0n,
    feeRecipient: wanted.recipient,
    deadline: farAway,
    ref: noRef,
    ...wanted,
  }
  const signature = await signRedemption(await keyOf(held), { chainId, vault }, redemption)
  const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'redeem', args: [redemption, signature] })
  return { to: vault, data }
}
