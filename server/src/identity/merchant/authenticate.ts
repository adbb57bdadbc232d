import { createSecretKey, hash } from 'node:crypto'
import { batched } from '../../base/batched.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { merchantError } from './errors.ts'
import type { KeyKind } from './key-kind.ts'
import { digestKey, readKey } from './key.ts'
import { findKeyHolders, type KeyHolder, rehashKeys } from './store.ts'

type Credentials = {
  readonly authorization: string | undefined
  readonly secretKey: string | undefined
  readonly origin: string | undefined
}

/** `onRefused` learns the public key of a request that is refused although this key is good. */
export type Authenticate = (credentials: Credentials, needs: KeyKind, onRefused: OnRefused) => Promise<MerchantCaller>
type OnRefused = (key: Pick<MerchantCaller, 'environmentId' | 'keyId'>) => void

// A revoked key stops working on all servers within this time.
const cacheMs = 3_000
// A key that is used in the last second of that time is looked up again, while the request goes on with what is cached.
const aheadMs = 1_000
const cacheMax = 10_000

type Cached = { readonly holder: KeyHolder | undefined; readonly untilMs: number; isRenewed: boolean }
type AuthenticateTools = { readonly db: Db; readonly clock: Clock; readonly peppers: readonly Buffer[] }

export function createAuthenticate({ db, clock, peppers }: AuthenticateTools): Authenticate {
  // Keyed by hash, so that no key stays in memory. Unknown keys are cached too, so that guessing costs few queries.
  const cache = new Map<string, Cached>()
  // An HMAC with a Buffer takes ten times as long as with a key object.
  const secrets = peppers.map((pepper) => createSecretKey(pepper))
  const findHolder = batched(async (keys: readonly string[]) => {
    const digests = keys.map((key) => secrets.map((secret) => digestKey(secret, key)))
    const holders = await findKeyHolders(db, digests.flat(), clock())
    const old: { from: Buffer; to: Buffer }[] = []
    const found = digests.map(([present, ...older]) => {
      const holder = present && holders.get(present.toString('hex'))
      if (holder !== undefined) return holder
      const under = older.find((digest) => holders.has(digest.toString('hex')))
      if (under === undefined || present === undefined) return undefined
      old.push({ from: under, to: present })
      return holders.get(under.toString('hex'))
    })
    // Rehash keys stored under an older pepper, so that it can be retired.
    if (old.length > 0) await rehashKeys(db, old)
    return found
  })

  async function holderOf(key: string): Promise<KeyHolder | undefined> {
    const name = hash('sha256', key, 'base64')
    const now = clock()
    const known = cache.get(name)
    if (known === undefined || known.untilMs <= now.getTime()) return lookUp(name, key)
    if (!known.isRenewed && known.untilMs - aheadMs <= now.getTime()) {
      known.isRenewed = true
      // Without a response, a later request looks it up.
      lookUp(name, key).catch(() => undefined)
    }
    return isLive(known.holder, now) ? known.holder : undefined
  }

  /** The time counts from before the look-up: what it finds may be revoked right after. */
  async function lookUp(name: string, key: string): Promise<KeyHolder | undefined> {
    const untilMs = clock().getTime() + cacheMs
    const holder = await findHolder(key)
    if (cache.size >= cacheMax) cache.clear()
    cache.set(name, { holder, untilMs, isRenewed: false })
    return holder
  }

  return async ({ authorization, secretKey, origin }, needs, onRefused) => {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (bearer === undefined) throw merchantError('KEY_MISSING')
    const form = readKey(bearer)
    if (form?.kind === 'secret') throw merchantError('KEY_SECRET_AS_BEARER')
    const isSecret = secretKey !== undefined && readKey(secretKey)?.kind === 'secret'
    const [holder, secret] = await Promise.all([
      form === undefined ? undefined : holderOf(bearer),
      isSecret ? holderOf(secretKey) : undefined,
    ])
    if (holder === undefined) throw merchantError('KEY_UNKNOWN')

    const { merchantId, environmentId, mode } = holder
    const fault = findFault(holder, secret, { secretKey, origin }, needs)
    if (fault !== undefined) {
      onRefused(holder)
      throw merchantError(fault)
    }
    // Limits count by the secret key if there is one: a copied public key must not use up the shop's own requests.
    const { keyId } = secret ?? holder
    const keyIds = [holder.keyId, ...(secret === undefined ? [] : [secret.keyId])]
    return { merchantId, environmentId, mode, keyId, keyIds, hasSecret: secret !== undefined }
  }
}

/** Why the other credentials do not fit a public key that is good. */
function findFault(
  holder: KeyHolder,
  secret: KeyHolder | undefined,
  { secretKey, origin }: Omit<Credentials, 'authorization'>,
  needs: KeyKind,
): Parameters<typeof merchantError>[0] | undefined {
  if (needs === 'secret' && secretKey === undefined) return 'KEY_SECRET_MISSING'
  // A wrong secret key is refused even if none is required.
  if (secretKey !== undefined && secret === undefined) return 'KEY_UNKNOWN'
  if (secret !== undefined && secret.environmentId !== holder.environmentId) return 'KEY_SECRET_FOREIGN'
  const isAllowed = origin === undefined || holder.origins.length === 0 || holder.origins.includes(origin)
  return isAllowed ? undefined : 'ORIGIN_FORBIDDEN'
}

function isLive(holder: KeyHolder | undefined, now: Date): boolean {
  return holder !== undefined && (holder.endsAt === null || holder.endsAt > now)
}
