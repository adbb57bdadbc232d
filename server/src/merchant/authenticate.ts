import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { merchantError } from './errors.ts'
import { digestKey, type KeyKind, readKey } from './key.ts'
import { findKeyHolder, type KeyHolder } from './store.ts'

type Credentials = {
  readonly authorization: string | undefined
  readonly secretKey: string | undefined
  readonly origin: string | undefined
}

export type Authenticate = (credentials: Credentials, needs: KeyKind) => Promise<MerchantCaller>

// A revoked key stops working everywhere within this.
const cacheMs = 3_000
const cacheMax = 10_000

export function createAuthenticate({ db, clock, pepper }: { db: Db; clock: Clock; pepper: Buffer }): Authenticate {
  // By digest, so that no key stays in memory. Unknown keys are remembered too: guessing costs no query each.
  const cache = new Map<string, { holder: KeyHolder | undefined; untilMs: number }>()

  async function holderOf(key: string): Promise<KeyHolder | undefined> {
    const digest = digestKey(pepper, key)
    const name = digest.toString('base64')
    const now = clock()
    const known = cache.get(name)
    if (known !== undefined && known.untilMs > now.getTime())
      return isLive(known.holder, now) ? known.holder : undefined
    const holder = await findKeyHolder(db, digest, now)
    if (cache.size >= cacheMax) cache.clear()
    cache.set(name, { holder, untilMs: now.getTime() + cacheMs })
    return holder
  }

  return async ({ authorization, secretKey, origin }, needs) => {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (bearer === undefined) throw merchantError('KEY_MISSING')
    const form = readKey(bearer)
    if (form?.kind === 'secret') throw merchantError('KEY_SECRET_AS_BEARER')
    const holder = form === undefined ? undefined : await holderOf(bearer)
    if (holder === undefined) throw merchantError('KEY_UNKNOWN')

    if (needs === 'secret' && secretKey === undefined) throw merchantError('KEY_SECRET_MISSING')
    const secret = secretKey === undefined ? undefined : await checkSecret(secretKey, holder)
    const isAllowed = origin === undefined || holder.origins.length === 0 || holder.origins.includes(origin)
    if (!isAllowed) throw merchantError('ORIGIN_FORBIDDEN')
    const { merchantId, environmentId, mode } = holder
    // Limits count by the secret key where there is one: who copies a public key must not use up the shop's own calls.
    const { keyId } = secret ?? holder
    return { merchantId, environmentId, mode, keyId, hasSecret: secret !== undefined }
  }

  // A secret key that is wrong is refused even where none is needed: who sends one means to be known by it.
  async function checkSecret(secretKey: string, holder: KeyHolder): Promise<KeyHolder> {
    const secret = readKey(secretKey)?.kind === 'secret' ? await holderOf(secretKey) : undefined
    if (secret === undefined) throw merchantError('KEY_UNKNOWN')
    if (secret.environmentId !== holder.environmentId) throw merchantError('KEY_SECRET_FOREIGN')
    return secret
  }
}

function isLive(holder: KeyHolder | undefined, now: Date): boolean {
  return holder !== undefined && (holder.endsAt === null || holder.endsAt > now)
}
