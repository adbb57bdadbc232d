import { encodeAbiParameters, getCreate2Address, type Hex, keccak256, pad } from 'viem'
import { sweeperCode } from './deposit-factory.gen.ts'
import type { Chain } from './store.ts'

/** What a factory makes at an address of this treasury, as a hash. */
export function sweeperHashOf(kind: keyof typeof sweeperCode, treasury: string): Hex {
  const argument = encodeAbiParameters([{ type: 'address' }], [treasury as Hex])
  return keccak256(`${sweeperCode[kind]}${argument.slice(2)}`)
}

/** Of the owner's id, so that an address is never anybody else's. */
export function saltOf(ownerId: string): Hex {
  return pad(`0x${ownerId.replaceAll('-', '')}`, { size: 32 })
}

/** Where a deposit is paid to. It has no key: what arrives there can go to the treasury and nowhere else. */
export function depositAddressOf({ factory, sweeperHash }: Chain, ownerId: string): string {
  const from = factory as Hex
  return getCreate2Address({ from, salt: saltOf(ownerId), bytecodeHash: sweeperHash as Hex })
}
