import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { type Mailbox, openMailbox } from '../../../local/parts/mailbox.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { sweeperHashOf } from '../../chain/address.ts'
import { activateDeposits } from '../../chain/store.ts'
import { saveVault, setNetworkActive } from '../../catalogue/currency/store.ts'
import { drawSheet } from '../../print/draw-sheet.ts'

// No network is needed: a voucher is delivered before it is on its network.
const SK = '/merchant-integrations-server'
const vault = `0x${'ab'.repeat(20)}`
const treasury = `0x${'2'.repeat(40)}`

let world: ApiWorld
let mailbox: Mailbox
beforeAll(async () => {
  mailbox = await openMailbox()
  const settings = { SMTP_URL: mailbox.url, MAIL_FROM: 'Scrip Pay <pay@scrip.example>' }
  world = await createApiWorld((await createTestDatabase()).url, undefined, settings)
  await setNetworkActive(world.pool, 'LOCAL', true)
  const sweeperHash = sweeperHashOf('ephemeral', treasury)
  await activateDeposits(world.pool, { abbreviation: 'LOCAL', factory: `0x${'1'.repeat(40)}`, treasury, sweeperHash })
  await saveVault(world.pool, { network: 'LOCAL', currency: 'ETH', vault })
  for (const currency of ['ETH', 'USD']) await world.fund(10, { currency })
})
afterAll(async () => {
  await world.close()
  await mailbox.close()
})

async function post(path: string, body: object): Promise<Record<string, string>> {
  const { status, text, data } = await world.post<Record<string, string>>(path, body)
  expect(status, text).toBe(200)
  return data
}
const gift = { forEmail: 'ada@example.com', sendEmail: true }
const mailOf = async (body: object): Promise<string> => {
  mailbox.received.length = 0
  await post(`${SK}/vouchers`, { amount: 1, currency: 'ETH', onchain: true, ...gift, ...body })
  await world.work()
  const [mail] = mailbox.received
  expect(mail?.html?.includes(vault)).toBe(mail?.text?.includes(vault))
  return mail?.text ?? ''
}

test('the email of an onchain voucher has its network and vault, in both languages', async () => {
  const english = await mailOf({})
  expect(english).toContain(`Network: Local network\nVault: ${vault}`)
  expect(english).toContain('redeem the voucher without the shop')
  const french = await mailOf({ language: 'fr' })
  expect(french).toContain(`Coffre: ${vault}`)
  expect(french).toContain('sans la boutique')
  const locked = await mailOf({ lockPin: '1234' })
  expect(locked).toContain(vault)
  expect(locked).not.toContain('without the shop')
  expect(await mailOf({ currency: 'USD', onchain: false })).not.toContain('Vault')
})

test('an exported batch has the network and the vault of each onchain voucher', async () => {
  const csvOf = async (body: object): Promise<string[]> => {
    const { id = '' } = await post(`${SK}/voucher-batches`, { size: 2, amount: 1, ...body })
    await world.work()
    return (await world.call('GET', `${SK}/voucher-batches/${id}/vouchers.csv`)).text.split('\r\n')
  }
  const [head, first] = await csvOf({ currency: 'ETH', onchain: true })
  expect(head).toBe('number,code,amount,currency,expires,link,network,vault')
  expect(first).toMatch(new RegExp(`,"Local network",${vault}$`))
  const [plainHead] = await csvOf({ currency: 'USD' })
  expect(plainHead).toBe('number,code,amount,currency,expires,link')
})

test('the code of an onchain voucher is revealed with its network and vault', async () => {
  const { id = '', code } = await post(`${SK}/vouchers`, { amount: 1, currency: 'ETH', onchain: true })
  expect(await post(`${SK}/vouchers/${id}/code`, {})).toEqual({ code, network: 'Local network', vault })
  const offchain = await post(`${SK}/vouchers`, { amount: 1, currency: 'USD' })
  expect(await post(`${SK}/vouchers/${offchain.id ?? ''}/code`, {})).toEqual({ code: offchain.code })
})

test('a printed sheet has the place of onchain vouchers only', async () => {
  const sizeOf = async (place: { network: string; vault: string }): Promise<number> => {
    const facts = { number: 1, code: '0000-0000-0000-0000', amount: '1', lastDay: '', link: 'https://pay.example/v#0' }
    const issuer = { name: 'OURS', code: 'OURS', accent: '', imprint: [], logo: undefined }
    const pdf = drawSheet({ issuer, currency: 'ETH', isTest: true, tickets: [{ ...facts, ...place }] })
    let size = 0
    for await (const chunk of pdf) size += (chunk as Buffer).length
    return size
  }
  expect(await sizeOf({ network: 'Local network', vault })).toBeGreaterThan(await sizeOf({ network: '', vault: '' }))
})
