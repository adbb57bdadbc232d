import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { callerOf } from '../http/caller.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import { userError } from './errors.ts'
import { readIdentifier } from './store.ts'

const dayMs = 24 * 3_600_000

export type CountPerson = (who: string, identifier: string) => void

/**
 * Lets somebody look for so many different people in a day, as often as he likes. Whether they are there makes no difference. By
 * digest, so that nobody's address stays in memory.
 */
export function createDailyQuota(clock: Clock, max: number): CountPerson {
  const counts = createLimit(clock, max, dayMs)
  const seen = createLimit(clock, 1, dayMs)
  return (who, identifier) => {
    const name = hash('sha256', `${who} ${readIdentifier(identifier).value}`, 'base64')
    if (!seen.look(name).isWithin) return
    const { isWithin, secondsLeft } = counts.count(who)
    if (!isWithin) throw userError('PEOPLE_TOO_MANY', { retryAfterSeconds: secondsLeft })
    seen.count(name)
  }
}

/**
 * How many different people a key may look for in a day. With the public key alone, which a browser shows to everybody, few from one
 * place; a shop behind one address serves as many.
 */
export function createPeopleQuota(clock: Clock) {
  const [fromOnePlace, byPublicKey, bySecretKey] = [200, 5_000, 20_000].map((max) => createDailyQuota(clock, max))
  return (request: FastifyRequest, identifier: string): void => {
    const { keyId, hasSecret } = callerOf(request)
    if (hasSecret) {
      bySecretKey?.(keyId, identifier)
      return
    }
    fromOnePlace?.(`${keyId} ${networkOf(request.ip)}`, identifier)
    byPublicKey?.(keyId, identifier)
  }
}
export type CountPeople = ReturnType<typeof createPeopleQuota>
