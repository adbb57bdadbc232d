import { createRouter } from '../ui/router.tsx'

export type Mode = 'live' | 'test'

/** Which shop is looked at, and whether its real money or its play money. */
export type Place = { readonly code: string; readonly mode: Mode }

const base = '/dashboard'
const lastKey = 'scrip-dashboard'

/** Both are in the address: nothing of one shop or mode can stay on the screen of another. */
function readPlace(): Place | null {
  const [code = '', mode = ''] = location.pathname.slice(base.length).split('/').filter(Boolean)
  return code !== '' && (mode === 'live' || mode === 'test') ? { code: decodeURIComponent(code), mode } : null
}

export const place = readPlace()
export const root = place === null ? base : rootOf(place)
export const { useRoute, useQuery, go, Link } = createRouter(root)

function rootOf({ code, mode }: Place): string {
  return `${base}/${encodeURIComponent(code)}/${mode}`
}

/** Loads the page again. */
export function enter(next: Place, how: 'assign' | 'replace' = 'assign'): void {
  location[how](rootOf(next))
}

export function leave(): void {
  location.assign(base)
}

/** Nothing else is kept on this device, and it says nothing about who was here. */
export function rememberPlace(): void {
  if (place !== null) localStorage.setItem(lastKey, `${place.code} ${place.mode}`)
}

/** Where somebody was last. */
export function lastPlace(): Place | null {
  const [code = '', mode = ''] = (localStorage.getItem(lastKey) ?? '').split(' ')
  return code === '' ? null : { code, mode: mode === 'test' ? 'test' : 'live' }
}
