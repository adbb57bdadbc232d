import { type Answer, askServer } from '../ui/ask-server.ts'

/** What the link is for, as its reader may know. */
export type Link = {
  readonly purpose: 'sign_up' | 'reset' | 'invite'
  readonly realm: 'live' | 'test' | 'staff'
  readonly email: string
  /** Who invites. */
  readonly merchant: string
  /** Who is invited signs in here already. */
  readonly isKnown: boolean
}

export type LinkWords = {
  readonly password?: string
  readonly username?: string
  readonly surname?: string
  readonly otherNames?: string
}

export function lookAtLink(token: string): Promise<Answer<Link>> {
  return askServer<Link>('/auth/links/look', { token })
}

export function followLink(token: string, words: LinkWords): Promise<Answer<object>> {
  return askServer('/auth/links/use', { token, ...words })
}
