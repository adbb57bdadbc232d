import { ArrowLeftRight, Search, Ticket, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { palette } from '../words/palette.ts'
import { nameOf, words } from '../words/words.ts'
import { type Entry, goTo } from './palette-entries.ts'
import { read } from './request-dashboard.ts'
import type { Customers, IssuedVouchers, Payments, Role } from './responses.ts'
import { formatMoney, screensFor } from './shop.tsx'
import { mayBecomeCode, withoutCode } from './typed-code.ts'

const pauseMs = 250
const lengthMin = 2
const foundMax = 5

export type Found = {
  readonly entries: readonly Entry[]
  /** Lists that can search for the text. */
  readonly searches: readonly Entry[]
  readonly isSearching: boolean
}

/** Searches what the role may see, while the user types. */
export function useSearch(role: Role, typed: string): Found {
  const text = withoutCode(typed.trim())
  const isWanted = text.length >= lengthMin
  // The beginning of a voucher's code must not appear in an address. A whole one is searched by its end.
  const isSearched = isWanted && (text !== typed.trim() || !mayBecomeCode(text))
  const [found, setFound] = useState<{ readonly of: string; readonly entries: readonly Entry[] }>({
    of: '',
    entries: [],
  })
  useEffect(() => {
    if (!isSearched) return
    let isOver = false
    const timer = setTimeout(() => {
      void search(role, text).then((entries) => isOver || setFound({ of: text, entries }))
    }, pauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [role, text, isSearched])
  const isFound = isSearched && found.of === text
  return {
    entries: isFound ? found.entries : [],
    searches: isWanted ? listSearches(role, text) : [],
    isSearching: isSearched && !isFound,
  }
}

/** The lists with this search. */
function listSearches(role: Role, text: string): Entry[] {
  const query = encodeURIComponent(text)
  const screens = screensFor(role)
  return (['payments', 'vouchers', 'invoices', 'customers'] as const)
    .filter((name) => screens.includes(name))
    .map((name) => goTo(`search-${name}`, Search, palette.searchIn[name](text), `/${name}?search=${query}`))
}

async function search(role: Role, text: string): Promise<Entry[]> {
  const screens = screensFor(role)
  const query = `limit=${foundMax}&search=${encodeURIComponent(text)}`
  const found = await Promise.all([
    screens.includes('payments') ? findPayments(query) : [],
    screens.includes('vouchers') ? findVouchers(query) : [],
    // Others see addresses masked, which lead nowhere.
    screens.includes('customers') ? findCustomers(query) : [],
  ])
  return found.flat()
}

async function findPayments(query: string): Promise<Entry[]> {
  const answer = await read<Payments>(`/merchant/payments?${query}`)
  if ('refusal' in answer) return []
  return answer.data.payments.map(({ id, type, amount, currency, reference }) =>
    goTo(
      `payment-${id}`,
      ArrowLeftRight,
      `${nameOf(words.types, type)} ${formatMoney(amount, currency)}`,
      `/payments/${encodeURIComponent(reference)}`,
      reference,
    ),
  )
}

async function findVouchers(query: string): Promise<Entry[]> {
  const answer = await read<IssuedVouchers>(`/merchant/issued?${query}`)
  if ('refusal' in answer) return []
  return answer.data.vouchers.map(({ id, codeTail, balance, currency, recipient }) =>
    goTo(
      `voucher-${id}`,
      Ticket,
      `${palette.voucher} ··${codeTail}`,
      `/vouchers/${id}`,
      [formatMoney(balance, currency), recipient].filter(Boolean).join(' · '),
    ),
  )
}

async function findCustomers(query: string): Promise<Entry[]> {
  const answer = await read<Customers>(`/merchant/customers?${query}`)
  if ('refusal' in answer) return []
  return answer.data.customers.map(({ id, name, email }) =>
    goTo(`customer-${id}`, UserRound, name, `/customers/${id}`, email),
  )
}
