import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, enrolOneTimeCode, pin, type VisitingUser } from '../../../local/test/visitor.ts'

let world: ApiWorld
let owner: VisitingUser
let code: () => string
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  owner = await addMember(world, world.ours, 'owner')
  code = await enrolOneTimeCode(owner)
})
afterAll(() => world.close())

const read = async (as = owner) => (await as.get('/merchant/settings')).json().data
const save = (changes: object) => owner.post('/merchant/settings', { ...changes, oneTimeCode: code() })

test('an owner changes the profile and where notices go; fields that are left out stay', async () => {
  const before = await read()
  expect(before).toMatchObject({ code: 'OURS', tradingName: 'OURS', homeCurrency: 'USD', timeZone: 'Africa/Lagos' })
  const saved = await save({
    tradingName: ' Our\u202e  shop ',
    timeZone: 'Europe/Paris',
    contactEmail: 'a@ours.example',
  })
  const changed = { ...before, tradingName: 'Our shop', timeZone: 'Europe/Paris', contactEmail: 'a@ours.example' }
  expect(saved.json().data).toEqual(changed)
  expect((await save({ contactEmail: 'none', language: 'fr' })).json().data).toEqual({
    ...changed,
    contactEmail: '',
    language: 'fr',
  })
})

test('changes need the second factor; an unknown time zone, an empty name and another home currency are refused', async () => {
  const before = await read()
  expect((await owner.post('/merchant/settings', { timeZone: 'UTC', pin })).json().error?.code).toBe(
    'SECOND_FACTOR_MISSING',
  )
  expect((await save({ timeZone: 'Mars/Olympus' })).json().error?.code).toBe('TIME_ZONE_UNKNOWN')
  expect((await save({ companyName: '  ' })).json().error?.code).toBe('COMPANY_NAME_MISSING')
  expect((await save({ homeCurrency: 'JPY' })).status).toBe(400)
  expect(await read()).toEqual(before)
})

test('403: accountants only read the settings, and cashiers and developers see none', async () => {
  const accountant = await addMember(world, world.ours, 'accountant')
  expect(await read(accountant)).toMatchObject({ code: 'OURS' })
  expect((await accountant.post('/merchant/settings', { timeZone: 'UTC' })).status).toBe(403)
  for (const role of ['cashier', 'developer']) {
    const member = await addMember(world, world.ours, role)
    expect((await member.get('/merchant/settings')).status).toBe(403)
  }
})
