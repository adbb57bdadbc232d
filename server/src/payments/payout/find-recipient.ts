import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { findAddressable, findUser, fullNameOf, readIdentifier, type User } from '../../identity/user/store.ts'
import { listPaidUsers } from './store.ts'

export type Recipient = {
  readonly id: string
  readonly name: string
  /** False for a user whom the shop has never paid, and for each payout to a phone number: numbers can move to another user. */
  readonly isKnown: boolean
}

/** The user whom a shop may pay by this identifier. */
export async function findRecipient(
  pool: Pool,
  caller: MerchantCaller,
  identifier: string,
): Promise<Recipient | undefined> {
  return (await findRecipients(pool, caller, [identifier])).get(readIdentifier(identifier).value)
}

const atOnce = 10

/** The users whom a shop may pay, by the normal form of their identifiers. Unknown identifiers are left out. */
export async function findRecipients(
  pool: Pool,
  { environmentId, mode, merchantId }: MerchantCaller,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, Recipient>> {
  const wanted = [...new Map(identifiers.map((each) => [readIdentifier(each).value, each]))]
  const users = new Map<string, User>()
  for (let first = 0; first < wanted.length; first += atOnce)
    await Promise.all(
      wanted.slice(first, first + atOnce).map(async ([value, identifier]) => {
        // A phone number finds the same users as confirm-user, where the merchant sees the name before it pays.
        const user = isPhone(identifier)
          ? await findAddressable(pool, { realm: mode, merchantId }, identifier)
          : await findUser(pool, mode, identifier)
        if (user !== undefined) users.set(value, user)
      }),
    )
  const ids = [...new Set([...users.values()].map(({ id }) => id))]
  const paid = await withEnvironment(pool, environmentId, (tx) => listPaidUsers(tx, environmentId, ids))
  const known = [...users].flatMap(([value, user]): [string, Recipient][] => {
    const wasPaid = paid.has(user.id)
    // Users who are not discoverable are not found by merchants that never paid them.
    if (!user.isDiscoverable && !wasPaid) return []
    return [[value, { id: user.id, name: fullNameOf(user), isKnown: wasPaid && !isPhone(value) }]]
  })
  return new Map(known)
}

function isPhone(identifier: string): boolean {
  return readIdentifier(identifier).by === 'phone'
}
