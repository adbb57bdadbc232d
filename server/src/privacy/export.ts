import type { Pool } from '../base/db.ts'
import { findUserIds, selectAddressData, selectUserData } from './store.ts'

/** What is stored about a person, by section. Secrets such as passwords, codes and tokens are left out. */
export type PersonalData = Readonly<Record<string, readonly unknown[]>>

export async function exportUser(pool: Pool, userId: string): Promise<PersonalData> {
  return bySection(await selectUserData(pool, userId))
}

/** What all merchants store about an address, and the accounts that use it. */
export async function exportAddress(pool: Pool, given: string): Promise<PersonalData> {
  const address = given.trim().toLowerCase()
  const rows = await selectAddressData(pool, address)
  for (const userId of await findUserIds(pool, address)) rows.push(...(await selectUserData(pool, userId)))
  return bySection(rows)
}

function bySection(rows: readonly { readonly section: string; readonly content: unknown }[]): PersonalData {
  const sections: Record<string, unknown[]> = {}
  for (const { section, content } of rows) (sections[section] ??= []).push(content)
  return sections
}
