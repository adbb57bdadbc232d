import type { Static, TObject } from 'typebox'
import type { Account } from './account.ts'

/** What must be told to somebody, written in the commit of what it tells. Never a secret. */
export type Event = {
  readonly type: string
  /** Who is told. */
  readonly environmentId: string
  /** What it is about: an account, which its journal moves, or something that its maker has counted under a lock of its own. */
  readonly about: Account | Counted
  readonly data: Readonly<Record<string, unknown>>
}
type Counted = { readonly id: string; readonly sequence: number }

/** Every event of every table, for the reference. */
export const eventCatalogue: { type: string; summary: string; data: TObject }[] = []

/** A feature's events as a table: type, when it is told, what it carries. The result makes an event of the table. */
export function defineEvents<Table extends Record<string, { summary: string; data: TObject }>>(table: Table) {
  for (const [type, { summary, data }] of Object.entries(table)) eventCatalogue.push({ type, summary, data })
  return <Type extends keyof Table & string>(
    type: Type,
    to: Pick<Event, 'environmentId' | 'about'>,
    data: Static<Table[Type]['data']>,
  ): Event => ({ type, environmentId: to.environmentId, about: to.about, data: data })
}

export function isAccount(about: Event['about']): about is Account {
  return 'ownerId' in about
}

/** Whether two of them would have the same number: what happens to an account at once is told to an environment in one event. */
export function haveTwins(events: readonly Event[]): boolean {
  const names = events.map(
    ({ environmentId, about }) => `${environmentId}/${isAccount(about) ? about.ownerId : about.id}`,
  )
  return new Set(names).size < names.length
}
