// The team in the dashboard: the owner invites, changes roles, ends sessions and removes, and a new owner finds the way in.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oneTimeCode } from '../../server/local/parts/one-time-code.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { createPeople, password, type People } from './people.ts'
import { createOpenAs, createStaff, enrol, type Member, type OpenAs } from './staff.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
let people: People
let openAs: OpenAs
let readCode: () => string
const members = new Map<string, Member>()
beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  const hire = await createStaff(stack, people)
  readCode = await enrol(await hire('Olu', 'Adeyemi', 'owner'))
  openAs = createOpenAs(stack, { olu: readCode })
  members.set('Ann', await hire('Ann', 'Owusu', 'accountant'))
  members.set('Kim', await hire('Kim', 'Kasse', 'cashier'))
  members.set('Dev', await hire('Dev', 'Nkosi', 'developer'))
})
afterAll(() => stack.stop())

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const dialogOf = (page: Page) => page.getByRole('dialog')

test('an owner invites a member, sends the invitation again and withdraws it', async () => {
  const { page, browserErrors, close } = await openAs('olu', '/team')
  await page
    .getByRole('row', { name: /Kim Kasse/ })
    .getByText('Cashier')
    .waitFor()
  await press(page, 'Invite member')
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await dialog.getByText('Enter an email address.').waitFor()
  await dialog.getByLabel('Email address').fill('lee@corner.example')
  await dialog.getByRole('radio', { name: 'Accountant' }).check()
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await says(page, 'Invitation sent to lee@corner.example.')
  const first = await people.linkTo('lee@corner.example', /invites you/)
  await press(page, 'Send again to lee@corner.example')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await says(page, /The earlier link no longer works/)
  const visitor = await stack.open()
  await visitor.page.goto(first)
  await visitor.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await visitor.close()
  expect(await findSerious(page)).toEqual([])
  await press(page, 'Withdraw the invitation to lee@corner.example')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await says(page, 'Invitation to lee@corner.example withdrawn.')
  await page.getByText('Open invitations').waitFor({ state: 'detached' })
  expect(browserErrors.filter((each) => !/status of 401/.test(each))).toEqual([])
  await close()
})

test('a new role with fewer rights ends the sessions of the member, who signs in again with the new role', async () => {
  const ann = await openAs('ann', '/approvals')
  await ann.page.getByRole('heading', { name: 'Approvals' }).waitFor()
  const { page, close } = await openAs('olu', '/team')
  await page.getByRole('link', { name: 'Ann Owusu' }).click()
  await press(page, 'Change role')
  const dialog = dialogOf(page)
  await dialog.getByRole('radio', { name: 'Cashier' }).check()
  await dialog.getByText(/all sessions of this member end/).waitFor()
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await says(page, 'Ann Owusu now has the role Cashier.')
  await ann.page.reload()
  await ann.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const again = people.createVisitor('staff', { 'scrip-merchant': 'CORNER', 'scrip-mode': 'test' })
  await again.signIn('ann@corner.example')
  expect((await again.get('/merchant/outflows')).code).toBe(403)
  expect((await again.get('/merchant/till')).code).toBe(200)
  await ann.close()
  await close()
})

test('an owner ends the session of a lost device, and removes a member, whose access ends at once', async () => {
  const kim = members.get('Kim')
  const { page, close } = await openAs('olu', '/team')
  await page.getByRole('link', { name: 'Kim Kasse' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  await page
    .getByRole('button', { name: /^End session on/ })
    .first()
    .click()
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'End session' }).click()
  await says(page, 'Session ended.')
  await says(page, 'Not signed in anywhere.')
  expect((await kim?.get('/me'))?.code).toBe(401)
  await kim?.signIn('kim@corner.example')
  expect((await kim?.get('/merchant/till'))?.code).toBe(200)
  await press(page, 'Remove from team')
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Remove from team' }).click()
  await says(page, 'Kim Kasse is no longer in the team.')
  await page.getByRole('link', { name: 'Kim Kasse' }).waitFor({ state: 'detached' })
  expect((await kim?.get('/merchant/till'))?.code).toBe(401)
  await close()
})

test('the only owner can neither be removed nor get another role', async () => {
  const { page, close } = await openAs('olu', '/team')
  // The link to the own account has the name too, with the role.
  await page.getByRole('link', { name: 'Olu Adeyemi', exact: true }).click()
  await says(page, /The only owner of a shop cannot be removed/)
  await page.getByText('This device', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Remove from team' }).getAttribute('aria-disabled')).toBe('true')
  expect(await findSerious(page)).toEqual([])
  await close()
})

test('an invited owner sets a password and an authenticator app, and arrives at the live shop', async () => {
  const owner = await openAs('olu', '/team')
  await press(owner.page, 'Invite member')
  const dialog = dialogOf(owner.page)
  await dialog.getByLabel('Email address').fill('nia@corner.example')
  await dialog.getByRole('radio', { name: 'Owner' }).check()
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await says(owner.page, 'Invitation sent to nia@corner.example.')
  await owner.close()

  const { page, browserErrors, close } = await stack.open({ viewport: { width: 390, height: 844 } })
  await page.goto(await people.linkTo('nia@corner.example', /invites you/))
  await page.getByLabel('First name').fill('Nia')
  await page.getByLabel('Surname').fill('Mensah')
  await page.getByLabel('Password').fill(password)
  await press(page, 'Accept invitation')
  await page.getByRole('link', { name: 'Open the dashboard' }).click()
  await page.getByLabel('Email address').fill('nia@corner.example')
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await page.getByRole('heading', { name: 'Two-step sign-in' }).waitFor()
  await page.getByLabel('Your password').fill(password)
  await press(page, 'Set up authenticator app')
  const key = await page.locator('.facts code').innerText()
  await page.getByLabel('One-time code').fill(oneTimeCode(key))
  await press(page, 'Confirm code')
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  await press(page, 'I have saved the codes')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(page.url()).toContain('/dashboard/CORNER/live')
  expect(browserErrors.filter((each) => !/status of 40[13]/.test(each))).toEqual([])
  await close()
})

test('only owners have the team: others have no link, and the API refuses them', async () => {
  const { page, close } = await openAs('dev', '/team')
  await says(page, 'Page not found')
  expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0)
  const dev = members.get('Dev')
  for (const path of ['/merchant/members', `/merchant/members/${dev?.id}/sessions`])
    expect((await dev?.get(path))?.code).toBe(403)
  await close()
})

test('the team pages fit a phone and twice the font size, in French too', async () => {
  for (const path of ['/team', `/team/${members.get('Dev')?.id}`])
    for (const locale of ['en-GB', 'fr-FR']) {
      const { page, close } = await openAs('olu', path, { viewport: { width: 390, height: 844 }, locale })
      await page.locator('.loaded').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
      expect(await findSerious(page), path).toEqual([])
      expect(await isWideAtTwice(page), path).toBe(false)
      await close()
    }
})
