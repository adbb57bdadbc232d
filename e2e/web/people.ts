// People before the platform: visitors with cookies, their mail boxes, and a browser for the links in them.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Stack } from './stack.ts'

export const password = 'correct horse battery'
export const pin = '135790'

export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error('It did not come.')
}

export type People = ReturnType<typeof createPeople>

export function createPeople(stack: Stack) {
  /** Somebody with cookies. */
  function createVisitor(realm: 'test' | 'staff', more: Record<string, string> = {}) {
    const cookies = new Map<string, string>()
    const ask = async (method: string, path: string, body?: object) => {
      const reply = await fetch(`${stack.baseUrl}${path}`, {
        method,
        headers: {
          'scrip-realm': realm,
          origin: stack.baseUrl,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/json',
          ...more,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      for (const line of reply.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      return (await reply.json()) as { code: number; data: Record<string, never>; error?: { code: string } }
    }
    return {
      get: (path: string) => ask('GET', path),
      post: (path: string, body: object = {}) => ask('POST', path, body),
      signIn: (email: string) => ask('POST', `/auth/${realm}/sign-in/email`, { email, password }),
    }
  }

  const mailTo = (address: string, subject: RegExp) =>
    until(() => stack.mails.find((mail) => mail.recipients.includes(address) && subject.test(mail.subject ?? '')))
  const linkTo = async (address: string, subject: RegExp): Promise<string> =>
    /http\S+\/link#[\w-]{43}/.exec((await mailTo(address, subject)).text ?? '')?.[0] ?? ''

  /** Opens a mailed link as its reader does, and presses the button. */
  async function follow(
    link: string,
    button: string,
    shown: string,
    words: Record<string, string> = {},
  ): Promise<void> {
    const { page, complaints, requests, close } = await stack.open({ viewport: { width: 390, height: 780 } })
    await page.goto(link)
    for (const [label, text] of Object.entries(words)) await page.getByLabel(label).fill(text)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { name: shown, exact: true }).waitFor()
    expect(complaints).toEqual([])
    // The token is in no address that was asked for, and no longer in the one that is shown.
    const token = link.split('#')[1] ?? ''
    expect(requests.filter((url) => url.split('#')[0]?.includes(token))).toEqual([])
    expect(page.url()).not.toContain(token)
    await close()
  }

  async function signUp(email: string, username: string) {
    const person = createVisitor('test')
    const names = { username, surname: 'Obi', otherNames: 'Ada' }
    expect((await person.post('/auth/test/sign-up', { email, ...names })).code).toBe(200)
    await follow(await linkTo(email, /confirm/), 'Confirm my address', 'Welcome', { Password: password })
    expect((await person.signIn(email)).code).toBe(200)
    return person
  }

  return { createVisitor, mailTo, linkTo, follow, signUp }
}
