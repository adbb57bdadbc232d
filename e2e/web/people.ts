// Users of the platform: visitors with cookies, their inboxes, and a browser for the links in them.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ReceivedMail } from '../../server/local/parts/mailbox.ts'
import type { Stack } from './stack.ts'

export const password = 'correct horse battery'
export const pin = '135790'

export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(50)
  }
  throw new Error('Nothing was found within 20 seconds.')
}

type Realm = 'test' | 'staff'
type ApiResponse = { code: number; data: Record<string, never>; error?: { code: string } }
export type Visitor = {
  readonly get: (path: string) => Promise<ApiResponse>
  readonly post: (path: string, body?: object) => Promise<ApiResponse>
  readonly signIn: (email: string) => Promise<ApiResponse>
}
export type People = {
  readonly createVisitor: (realm: Realm, headers?: Record<string, string>) => Visitor
  readonly mailTo: (address: string, subject: RegExp) => Promise<ReceivedMail>
  readonly linkTo: (address: string, subject: RegExp) => Promise<string>
  /** Opens an emailed link, fills in fields, presses the button and waits for a heading. */
  readonly follow: (link: string, button: string, shown: string, fields?: Record<string, string>) => Promise<void>
  /** Signs a user up and in. */
  readonly signUp: (email: string, username: string) => Promise<Visitor>
}

export function createPeople(stack: Stack): People {
  /** A client with cookies. */
  function createVisitor(realm: Realm, more: Record<string, string> = {}): Visitor {
    const cookies = new Map<string, string>()
    const send = async (method: string, path: string, body?: object): Promise<ApiResponse> => {
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
      return (await reply.json()) as ApiResponse
    }
    return {
      get: (path) => send('GET', path),
      post: (path, body = {}) => send('POST', path, body),
      signIn: (email) => send('POST', `/auth/${realm}/sign-in/email`, { email, password }),
    }
  }

  const mailTo = (address: string, subject: RegExp): Promise<ReceivedMail> =>
    until(() => stack.mails.find((mail) => mail.recipients.includes(address) && subject.test(mail.subject ?? '')))
  const linkTo = async (address: string, subject: RegExp): Promise<string> =>
    /http\S+\/link#[\w-]{43}/.exec((await mailTo(address, subject)).text ?? '')?.[0] ?? ''

  async function follow(
    link: string,
    button: string,
    shown: string,
    fields: Record<string, string> = {},
  ): Promise<void> {
    const { page, browserErrors, requests, close } = await stack.open({ viewport: { width: 390, height: 780 } })
    await page.goto(link)
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text)
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { name: shown, exact: true }).waitFor()
    expect(browserErrors).toEqual([])
    // The token is in no requested URL, and no longer in the address bar.
    const token = link.split('#')[1] ?? ''
    expect(requests.filter((url) => url.split('#')[0]?.includes(token))).toEqual([])
    expect(page.url()).not.toContain(token)
    await close()
  }

  async function signUp(email: string, username: string): Promise<Visitor> {
    const visitor = createVisitor('test')
    const names = { username, surname: 'Obi', otherNames: 'Ada' }
    expect((await visitor.post('/auth/test/sign-up', { email, ...names })).code).toBe(200)
    await follow(await linkTo(email, /confirm/), 'Confirm email address', 'Welcome', { Password: password })
    expect((await visitor.signIn(email)).code).toBe(200)
    return visitor
  }

  return { createVisitor, mailTo, linkTo, follow, signUp }
}
