import type { MerchantCaller } from '../../http/caller.ts'

/** Contact details of a user. */
type Contact = { readonly email: string; readonly phone: string }

/**
 * Whether a caller sees full email addresses and phone numbers of customers and payers: the shop's server, its owners and accountants.
 * Cashiers, developers and callers with only the public key see them masked.
 */
export function seesContacts({ hasSecret, role }: Pick<MerchantCaller, 'hasSecret' | 'role'>): boolean {
  return hasSecret && (role === undefined || role === 'owner' || role === 'accountant')
}

/** A contact as the caller may see it. A value that the caller entered itself (`named`) is not masked. */
export function showContact<T extends Contact>(
  caller: Pick<MerchantCaller, 'hasSecret' | 'role'>,
  contact: T,
  named = '',
): T {
  if (seesContacts(caller)) return contact
  const shown = (value: string, mask: (text: string) => string): string =>
    value === '' || value === named ? value : mask(value)
  return { ...contact, email: shown(contact.email, maskEmail), phone: shown(contact.phone, maskPhone) }
}

export function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@')
  return `${name.slice(0, 1)}***@${domain.slice(0, 1)}***${domain.slice(domain.lastIndexOf('.'))}`
}

function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}${'*'.repeat(Math.max(0, phone.length - 6))}${phone.slice(-2)}`
}
