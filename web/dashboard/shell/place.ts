import { createRouter } from '../../ui/router.tsx'

export type Mode = 'live' | 'test'

/** The shop on screen, in live or test mode. */
export type Place = { readonly code: string; readonly mode: Mode }

const base = '/dashboard'
const lastKey = 'scrip-dashboard'

/** Shop and mode are in the address, so no data of one can stay on the screen of another. */
function readPlace(): Place | null {
  const [code = '', mode = ''] = location.pathname.slice(base.length).split('/').filter(Boolean)
  return code !== '' && (mode === 'live' || mode === 'test') ? { code: decodeURIComponent(code), mode } : null
}

export const place = readPlace()
export const root = place === null ? base : rootOf(place)

type Selling = 'sell' | 'sell/sales' | 'sell/shift'
type Settings = 'account' | 'audit' | 'settings' | 'settings/brand' | 'settings/locations'
type Room =
  | 'payments'
  | 'vouchers'
  | 'requests'
  | 'payouts'
  | 'deposits'
  | 'invoices'
  | 'customers'
  | 'team'
  | 'developers'
  | 'reports'
type Screen = '' | 'till' | 'till/switch' | 'day' | Room | 'approvals' | Selling | Settings
export type Address = `/${Screen}${'' | `?${string}`}` | `/${Room}/${string}`

export const { Routes, useSearchParams, go, Link, BackLink } = createRouter<Address>(root)

function rootOf({ code, mode }: Place): string {
  return `${base}/${encodeURIComponent(code)}/${mode}`
}

/** Reloads the page in another shop or mode. */
export function enter(next: Place, how: 'assign' | 'replace' = 'assign'): void {
  location[how](rootOf(next))
}

/** The URL of a screen of this shop in another mode. */
export function placeIn(mode: Mode, address: Address): string {
  return rootOf({ code: place?.code ?? '', mode }) + address
}

export function leave(): void {
  location.assign(base)
}

/** Stores the shop and the mode on this device, and nothing about the staff member. */
export function rememberPlace(): void {
  if (place !== null) localStorage.setItem(lastKey, `${place.code} ${place.mode}`)
}

/** The shop and the mode that were last used on this device. */
export function lastPlace(): Place | null {
  const [code = '', mode = ''] = (localStorage.getItem(lastKey) ?? '').split(' ')
  return code === '' ? null : { code, mode: mode === 'test' ? 'test' : 'live' }
}
