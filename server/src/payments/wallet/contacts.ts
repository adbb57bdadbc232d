import type { Tx } from '../../base/db.ts'
import { orNull } from '../../base/column-type.ts'
import { list, select, sql } from '../../base/sql.ts'
import type { WireContact } from './wire.ts'

/** Moves that the contacts are read from, so that years of activity are not. */
const scanMax = 500
const contactsMax = 12

const contactColumns = list({
  userId: orNull(sql.uuid)`u.id`,
  name: sql.text`case when u.id is null then r.with_name else trim(u.other_names || ' ' || u.surname) end`,
  username: sql.text`coalesce(u.username, '')`,
})

/**
 * The users and merchants whom the user has paid, the latest first. Users who can no longer be found are left out. The
 * transaction must act for the user.
 */
export async function listContacts(tx: Tx, userId: string): Promise<WireContact[]> {
  const rows = await select(tx)`
    with recent as materialized (
      select id, kind, with_name from wallet_moves where user_id = ${userId} order by id desc limit ${scanMax})
    select ${contactColumns}
      from recent r
      left join all_transfers t on r.kind = 'sent' and t.journal_id = r.id and t.from_owner = ${userId}
        and t.to_kind = 'wallet'
      left join users u on u.id = t.to_owner and u.is_active and u.is_discoverable and u.username is not null
      where r.kind = 'paid' or u.id is not null
      order by r.id desc`
  const latest = new Map<string, WireContact>()
  for (const { userId: contactId, name, username } of rows) {
    const kind = contactId === null ? 'merchant' : 'user'
    const key = contactId ?? name
    if (!latest.has(key)) latest.set(key, { kind, name, username })
  }
  return [...latest.values()].slice(0, contactsMax)
}
