import { scryptSync } from 'node:crypto'
import { hashTypedData, type Hex, keccak256, pad, recoverTypedDataAddress, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../base/random.ts'
import { makeCode, showCode } from './code.ts'
import {
  claimKeyOf,
  codeHashOf,
  isPrivateKey,
  type Redemption,
  redemptionDomainOf,
  redemptionTypes,
  signRedemption,
} from './claim.ts'

const code = '0123456789ABCDE3'
const vault = { chainId: 31_337, vault: '0x5FbDB2315678afecb367f032d93F642f64180aa3' } as const
const creator = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const claimKey = await claimKeyOf(code, vault)

describe('a claim key', () => {
  test('is a fixed function of code, chain and vault', async () => {
    const key = await claimKeyOf(code, vault)
    expect(key).toBe('0x75de8f6dd249a06794dea48255c0ae1aa3eeeb2a43d3b44a8434b91b27ae2c65')
    expect(privateKeyToAddress(key)).toBe('0x96b0214816D7064004c430796590cD3537817484')
  })

  test('is scrypt of the code without dashes', async () => {
    for (let i = 0; i < 5; i++) {
      const made = makeCode(createSeededRandom(`claim ${i}`))
      const place = `Scrip voucher claim 1:${vault.chainId}:${vault.vault.toLowerCase()}:0`
      const expected = scryptSync(made, place, 32, { N: 8_192, r: 8, p: 1 }).toString('hex')
      expect(await claimKeyOf(showCode(made), vault)).toBe(`0x${expected}`)
    }
  })

  test('does not depend on how the code or the address of the vault is written', async () => {
    const key = await claimKeyOf(code, vault)
    for (const typed of ['0123-4567-89AB-CDE3', ' o123 4567 89ab cde3 ', 'OI23-4567-89ab-cde3', 'ol23456789abcde3'])
      expect(await claimKeyOf(typed, vault)).toBe(key)
    expect(await claimKeyOf(code, { ...vault, vault: vault.vault.toLowerCase() as Hex })).toBe(key)
  })

  test('differs per code, chain, vault and counter', async () => {
    const other = makeCode(createSeededRandom('another code'))
    const keys = await Promise.all([
      claimKeyOf(code, vault),
      claimKeyOf(other, vault),
      claimKeyOf(code, { ...vault, chainId: 1 }),
      claimKeyOf(code, { ...vault, vault: creator }),
      claimKeyOf(code, { ...vault, counter: 1 }),
    ])
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('is above zero and below the order of the curve', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const isKey = [0n, 1n, order - 1n, order, 2n ** 256n - 1n].map((number) =>
      isPrivateKey(toHex(number, { size: 32 })),
    )
    expect(isKey).toEqual([false, true, true, false, false])
  })

  test.each(['0123456789ABCDE2', 'GIFT-2019-0042', ''])(
    'is not made from a code that is not ours: %j',
    async (typed) => {
      await expect(claimKeyOf(typed, vault)).rejects.toThrow(expect.objectContaining({ code: 'VOUCHER_CODE_MISTYPED' }))
    },
  )

  test('is not made for something that is no address', async () => {
    await expect(claimKeyOf(code, { ...vault, vault: '0x1234' })).rejects.toThrow('Not an address')
  })
})

describe('a redemption', () => {
  const address = privateKeyToAddress(claimKey)
  const redemption: Redemption = {
    codeHash: codeHashOf(creator, address),
    recipient: creator,
    amount: 300n,
    fee: 7n,
    feeRecipient: vault.vault,
    nonce: 2,
    deadline: 1_800_000_000,
    ref: keccak256('0x01'),
  }
  const typed = {
    domain: redemptionDomainOf(vault),
    types: redemptionTypes,
    primaryType: 'Redemption',
    message: redemption,
  } as const

  test('names its voucher by a hash of creator and claim key', () => {
    expect(redemption.codeHash).toBe(keccak256(`${pad(creator)}${pad(address).slice(2)}`))
    expect(redemption.codeHash).toBe('0xb1bef4b6fde997fe582aebee1c24b7a9becc1a19043deb8d42188ee870291f7f')
  })

  test('has a fixed digest and signature, which recovers the claim key', async () => {
    const signature = await signRedemption(claimKey, vault, redemption)
    expect(hashTypedData(typed)).toBe('0x3eeb0e5b66bf6a5e7a323b078e09cfc989f54085e2efcdba57351a193c794a4f')
    expect(signature).toBe(
      '0x5da53e44212141c030be0c38bf831dac0c76fe79ea85ef77f9259c6adf19812c1d779439ac8731f125f5ae29dad2cd33821314169024f3328d30bdfb5002a79e1c',
    )
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(address)
  })

  test('for another chain or vault has another digest', () => {
    const digests = [
      typed.domain,
      redemptionDomainOf({ ...vault, chainId: 1 }),
      redemptionDomainOf({ ...vault, vault: creator }),
    ].map((domain) => hashTypedData({ ...typed, domain }))
    expect(new Set(digests).size).toBe(3)
  })
})
