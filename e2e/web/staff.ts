// Staff members of the test shop.
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import type { Role } from '../../server/src/http/caller.ts'
import { joinMerchant } from '../../server/src/identity/merchant/members.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { password, type People, pin, type Visitor } from './people.ts'
import type { Stack } from './stack.ts'

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
