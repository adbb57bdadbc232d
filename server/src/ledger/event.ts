import type { Static, TObject } from 'typebox'
import type { Account } from './account.ts'

/** An event to publish, committed together with the change that it reports. Never contains secrets. */
export type Event = {
  readonly type: string
  /** The environment that receives the event. */
  readonly environmentId: string
  /** The subject: an account that the journal moves, or an object whose sequence number the caller took under a lock. */
  readonly about: Account | Counted
  readonly data: Readonly<Record<string, unknown>>
}
type Counted = { readonly id: string; readonly sequence: number }

/** All events of all tables, for the reference. */
export const eventCatalogue: { type: string; summary: string; data: TObject }[] = []

/** Defines a feature's events as a table of type, summary and payload. The result creates an event of the table. */
export function defineEvents<Table extends Record<string, { summary: string; data: TObject }>>(table: Table) {
  for (const [type, { summary, data }] of Object.entries(table)) eventCatalogue.push({ type, summary, data })
  return <Type extends keyof Table & string>(
    type: Type,
    to: Pick<Event, 'environmentId' | 'about'>,
    data: Static<Table[Type]['data']>,
  ): Event => ({ type, environmentId: to.environmentId, about: to.about, data })
}

export function isAccount(about: Event['about']): about is Account {
  return 'ownerId' in about
}

/** Whether two events would get the same sequence number. There is at most one event per object and environment. */
export function haveDuplicates(events: readonly Event[]): boolean {
  const names = events.map(
    ({ environmentId, about }) => `${environmentId}/${isAccount(about) ? about.ownerId : about.id}`,
  )
  return new Set(names).size < names.length
}
