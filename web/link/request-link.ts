import type { Read } from '../../server/src/http/schema.ts'
import type { WireLink } from '../../server/src/identity/user/wire.ts'
import { type Answer, sendRequest } from '../ui/send-request.ts'

export type Link = Read<WireLink>

export type LinkFields = {
  readonly password?: string
  readonly username?: string
  readonly surname?: string
  readonly otherNames?: string
}

export function fetchLink(token: string): Promise<Answer<Link>> {
  return sendRequest('/auth/links/look', { token })
}

export function followLink(token: string, fields: LinkFields): Promise<Answer<object>> {
  return sendRequest('/auth/links/use', { token, ...fields })
}
