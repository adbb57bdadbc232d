// The staff of the shop that the platform of these tests has.
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import type { Role } from '../../server/src/http/caller.ts'
import { joinMerchant } from '../../server/src/merchant/members.ts'
import { hashPassword } from '../../server/src/user/password.ts'
import { insertPerson } from '../../server/src/user/store.ts'
import { password, type People, pin } from './people.ts'
import type { Stack } from './stack.ts'

export type Member = Awaited<ReturnType<Awaited<ReturnType<typeof createStaff>>>>

/** Hires somebody, who then has signed in and, unless it is a stranger, a pin. */
export async function createStaff(stack: Stack, people: People) {
  const newId = createIds(systemClock, systemRandom)
  const passwordHash = await hashPassword(password)
  const { rows } = await stack.query(`select id from merchants where code = 'CORNER'`, [])
  const merchantId = (rows[0] as { id: string }).id
  return async (otherNames: string, surname: string, role?: Role) => {
    const [id, email] = [newId(), `${otherNames.toLowerCase()}@corner.example`]
    const person = { id, realm: 'staff', email, otherNames, surname, language: 'en' } as const
    await inTransaction(stack.pool, async (tx) => {
      await insertPerson(tx, person, passwordHash, systemClock())
      if (role !== undefined) await joinMerchant(tx, id, merchantId, role, systemClock())
    })
    const visitor = people.createVisitor('staff', { 'scrip-merchant': 'CORNER', 'scrip-mode': 'test' })
    await visitor.signIn(email)
    if (role !== undefined) await visitor.post('/me/pin', { pin, password })
    return { ...visitor, id, email, name: `${otherNames} ${surname}` }
  }
}
