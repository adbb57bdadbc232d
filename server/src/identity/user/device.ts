import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Random } from '../../base/random.ts'
import { deriveKey, type RingSecret } from '../../base/seal.ts'
import type { Realm } from './store.ts'

export type Devices = {
  /** The cookie set by a successful sign-in. A known device keeps its id, so that signing in gives it no new attempts. */
  readonly cookie: (account: Account, known: string | undefined) => string
  /** The id of the device, if the cookies prove that it has signed in to this account. */
  readonly find: (cookies: string, account: Account) => string | undefined
}
type Account = { readonly realm: Realm; readonly email: string }

const idBytes = 16
const yearSeconds = 365 * 24 * 3_600

/**
 * A browser that has signed in to an account is a known device of it: an attacker who locks the account with wrong passwords does not
 * lock out its owner there. The cookie grants no access. It is a signed id, so nothing is stored, and unknown addresses take as long
 * as known ones.
 */
export function createDevices(ring: readonly RingSecret[], random: Random, isSecure: boolean): Devices {
  const keys = new Map(ring.map(({ id, secret }) => [id, createSecretKey(deriveKey(secret, 'known device'))]))
  const currentId = ring[0]?.id ?? 0
  const nameOf = (realm: Realm): string => `${isSecure ? '__Secure-' : ''}scrip-${realm}.device`

  function sign(keyId: number, id: string, { realm, email }: Account): Buffer | undefined {
    const key = keys.get(keyId)
    return (
      key &&
      createHmac('sha256', key)
        .update(JSON.stringify([realm, email, id]))
        .digest()
    )
  }

  return {
    cookie: (account, known) => {
      const id = known ?? random(idBytes).toString('base64url')
      const value = `${currentId}.${id}.${sign(currentId, id, account)?.toString('base64url') ?? ''}`
      const scope = `Max-Age=${yearSeconds}; Path=/auth/${account.realm}; HttpOnly; SameSite=Lax`
      return `${nameOf(account.realm)}=${value}; ${scope}${isSecure ? '; Secure' : ''}`
    },
    find: (cookies, account) => {
      const name = nameOf(account.realm)
      for (const part of cookies.split(';')) {
        const [key = '', value = ''] = part.trim().split('=')
        const [keyId = '', id = '', mac = ''] = key === name ? value.split('.') : []
        const signed = sign(Number(keyId), id, account)
        const shown = Buffer.from(mac, 'base64url')
        if (signed?.length === shown.length && timingSafeEqual(signed, shown)) return id
      }
      return undefined
    },
  }
}
