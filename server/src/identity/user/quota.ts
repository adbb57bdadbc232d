import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../http/caller.ts'
import { type CreateLimit, networkOf } from '../../http/limit.ts'
import { userError } from './errors.ts'
import { readIdentifier } from './store.ts'

const dayMs = 24 * 3_600_000

export type CountUser = (who: string, identifier: string) => Promise<void>

/**
 * Limits how many different users a caller may look up per day; repeated look-ups of one user count once, whether or not the user
 * exists. Counts by digest, so that no address stays in memory.
 */
export function createDailyQuota(createLimit: CreateLimit, title: string, max: number): CountUser {
  const counts = createLimit(title, max, dayMs)
  const seen = createLimit(`${title}-seen`, 1, dayMs)
  return async (who, identifier) => {
    const name = hash('sha256', `${who} ${readIdentifier(identifier).value}`, 'base64')
    if (!(await seen.look(name)).isWithin) return
    const { isWithin, secondsLeft } = await counts.count(who)
    if (!isWithin) throw userError('PEOPLE_TOO_MANY', { retryAfterSeconds: secondsLeft })
    await seen.count(name)
  }
}

/**
 * Limits how many different users a key may look up per day. For the public key alone, which browsers expose, there is a lower limit
 * per address, so that one visitor cannot use up the shop's quota.
 */
export type CountUserLookups = (request: FastifyRequest, identifier: string) => Promise<void>

export function createUserLookupQuota(createLimit: CreateLimit): CountUserLookups {
  const fromOnePlace = createDailyQuota(createLimit, 'people-place', 200)
  const byPublicKey = createDailyQuota(createLimit, 'people-public-key', 5_000)
  const bySecretKey = createDailyQuota(createLimit, 'people-secret-key', 20_000)
  return async (request, identifier) => {
    const { keyId, hasSecret } = callerOf(request)
    if (hasSecret) {
      await bySecretKey(keyId, identifier)
      return
    }
    await fromOnePlace(`${keyId} ${networkOf(request.ip)}`, identifier)
    await byPublicKey(keyId, identifier)
  }
}
