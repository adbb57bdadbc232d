import { eventCatalogue } from '../../ledger/event.ts'

/** All event types, and the groups that they belong to. */
export function eventTypes(): string[] {
  const types = eventCatalogue.map(({ type }) => type)
  return [...new Set([...types, ...types.map((type) => `${type.split('.')[0]}.*`)])].toSorted()
}

export function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}
