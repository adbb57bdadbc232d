import type { AuditEntry } from '../shell/responses.ts'
import { auditWords } from '../words/audit-words.ts'
import { nameOf, words } from '../words/words.ts'
import { shortenOperation } from './shorten-operation.ts'

/** What happened, in a sentence. An operation that is newer than this page is shown as it is. */
export function describeAct(entry: Pick<AuditEntry, 'operation' | 'object' | 'about' | 'outcome'>): string {
  const sentence = describeTeamAct(entry) ?? nameOf(auditWords.acts, shortenOperation(entry.operation))
  return entry.outcome === 'refused' ? auditWords.tried(sentence) : sentence
}

/** The name of the object, or what the request named it. Empty if the sentence says it. */
export function nameObject(entry: Pick<AuditEntry, 'operation' | 'object' | 'about'>): string {
  return describeTeamAct(entry) === undefined ? entry.about || entry.object : ''
}

/** Invitations and roles, with whom and which. */
function describeTeamAct({
  operation,
  object,
  about,
}: Pick<AuditEntry, 'operation' | 'object' | 'about'>): string | undefined {
  const [first = '', second = ''] = object.split(' ')
  const role = nameOf(words.shop.roles, second)
  if (second === '') return undefined
  if (operation === 'POST /merchant/members') return auditWords.invited(first, role)
  if (operation !== 'POST /merchant/members/:id') return undefined
  const name = about === '' ? first : about
  return second === 'none' ? auditWords.removed(name) : auditWords.changedRole(name, role)
}
