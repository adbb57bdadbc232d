import { encodeAbiParameters, getCreate2Address, type Hex, keccak256, pad } from 'viem'
import { sweeperCode } from './deposit-factory.gen.ts'
import type { Chain } from './store.ts'

/** The hash of the contract code that the factory deploys at deposit addresses of this treasury. */
export function sweeperHashOf(kind: keyof typeof sweeperCode, treasury: string): Hex {
  const argument = encodeAbiParameters([{ type: 'address' }], [treasury as Hex])
  return keccak256(`${sweeperCode[kind]}${argument.slice(2)}`)
}

/** The CREATE2 salt, derived from the owner's id, so that every owner has its own address. */
export function saltOf(ownerId: string): Hex {
  return pad(`0x${ownerId.replaceAll('-', '')}`, { size: 32 })
}

/** The address that a deposit is paid to. It has no key: its funds can only move to the treasury. */
export function depositAddressOf({ factory, sweeperHash }: Chain, ownerId: string): string {
  const from = factory as Hex
  return getCreate2Address({ from, salt: saltOf(ownerId), bytecodeHash: sweeperHash as Hex })
}
