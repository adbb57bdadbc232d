// Staff members of the test shop.
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { oneTimeCode } from '../../server/local/parts/one-time-code.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import type { Role } from '../../server/src/http/caller.ts'
import { joinMerchant } from '../../server/src/identity/merchant/members.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { type People, password, pin, type Visitor } from './people.ts'
import type { OpenPage, Stack } from './stack.ts'

export type Member = Visitor & { readonly id: string; readonly email: string; readonly name: string }
type Hire = (otherNames: string, surname: string, role?: Role) => Promise<Member>

/** Returns a function that adds a signed-in staff member with a PIN. Without a role, the user belongs to no shop. */
export async function createStaff(stack: Stack, people: People): Promise<Hire> {
  const newId = createIds(systemClock, systemRandom)
  const passwordHash = await hashPassword(password)
  const { rows } = await stack.query(`select id from merchants where code = 'CORNER'`, [])
  const merchantId = (rows[0] as { id: string }).id
  return async (otherNames, surname, role) => {
    const id = newId()
    const email = `${otherNames.toLowerCase()}@corner.example`
    const user = { id, realm: 'staff', email, otherNames, surname, language: 'en' } as const
    await inTransaction(stack.pool, async (tx) => {
      await insertUser(tx, user, passwordHash, systemClock())
      if (role !== undefined) await joinMerchant(tx, id, merchantId, role, systemClock())
    })
    const visitor = people.createVisitor('staff', { 'scrip-merchant': 'CORNER', 'scrip-mode': 'test' })
    await visitor.signIn(email)
    if (role !== undefined) await visitor.post('/me/pin', { pin, password })
    return { ...visitor, id, email, name: `${otherNames} ${surname}` }
  }
}

export type OpenAs = (name: string, path?: string, more?: BrowserContextOptions) => Promise<OpenPage>

/**
 * Returns a function that opens a page of the shop as a staff member, by first name. Each signs in once, because sign-in is rate limited.
 * `codes` reads the one-time codes of those who have an authenticator app.
 */
export function createOpenAs(stack: Stack, codes: Readonly<Record<string, () => string>> = {}): OpenAs {
  return createDevices(stack, codes).openAs
}

type Devices = {
  readonly openAs: OpenAs
  /** Signs in again on the next page, because the session has ended. */
  readonly forget: (name: string) => void
}

function createDevices(stack: Stack, codes: Readonly<Record<string, () => string>> = {}): Devices {
  const devices = new Map<string, Device>()
  const desk = { viewport: { width: 1280, height: 900 }, acceptDownloads: true }
  const openAs: OpenAs = async (name, path = '', more = {}) => {
    const device = devices.get(name) ?? (await signIn(stack, name, codes[name]))
    devices.set(name, device)
    const opened = await stack.open({ ...desk, ...more, storageState: device })
    await opened.page.goto(`${stack.baseUrl}/dashboard/CORNER/test${path}`)
    await opened.page.getByRole('navigation').first().waitFor()
    return opened
  }
  return { openAs, forget: (name) => devices.delete(name) }
}

const usualTeam = {
  owner: ['Olu', 'Adeyemi', 'owner'],
  cashier: ['Kim', 'Kasse', 'cashier'],
  accountant: ['Ann', 'Owusu', 'accountant'],
  developer: ['Dev', 'Nkosi', 'developer'],
} as const

export type Team = Devices & { readonly member: (title: string) => Member }

/** Hires a member of each role, and those with `more` titles. Members are named by their title: a role, or one of `more`. */
export async function hireTeam(
  stack: Stack,
  people: People,
  more: Readonly<Record<string, readonly [otherNames: string, surname: string, role: Role]>> = {},
): Promise<Team> {
  const hire = await createStaff(stack, people)
  const members = new Map<string, Member>()
  for (const [title, [otherNames, surname, role]] of Object.entries({ ...usualTeam, ...more }))
    members.set(title, await hire(otherNames, surname, role))
  const { openAs, forget } = createDevices(stack)
  const member = (title: string): Member => {
    const found = members.get(title)
    if (found === undefined) throw new Error(`There is no ${title}.`)
    return found
  }
  const firstName = (title: string): string => member(title).email.replace(/@.*$/, '')
  return {
    member,
    openAs: (title, path, options) => openAs(firstName(title), path, options),
    forget: (title) => forget(firstName(title)),
  }
}

type Device = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(stack: Stack, name: string, readCode?: () => string): Promise<Device> {
  const { page, close } = await stack.open()
  await page.goto(`${stack.baseUrl}/dashboard/CORNER/test`)
  await page.getByLabel('Email address').fill(`${name}@corner.example`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  if (readCode !== undefined) {
    await page.getByLabel('One-time code').fill(readCode())
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
  }
  await page.getByRole('navigation').first().waitFor()
  const device = await page.context().storageState()
  await close()
  return device
}

/** Sets up an authenticator app. Returns a function that reads its code. */
export async function enrol(member: Pick<Member, 'post'>): Promise<() => string> {
  const enabled = await member.post('/auth/staff/two-factor/enable', { password })
  const { totpURI } = enabled.data as unknown as { totpURI: string }
  const readCode = () => oneTimeCode(new URL(totpURI).searchParams.get('secret') ?? '')
  const verified = await member.post('/auth/staff/two-factor/verify-totp', { code: readCode() })
  if (verified.code !== 200) throw new Error('The authenticator app was not accepted.')
  return readCode
}
