import type { Shop } from './store.ts'
import type { WireShop } from './wire.ts'

export function toWireShop({ name, code, accent, address, taxNumber, logoVersion }: Shop): WireShop {
  return { name, logoUrl: logoVersion === '' ? '' : logoPath(code, logoVersion), accent, address, taxNumber }
}

/** A path and not a URL, because pages load images from their own server only, whatever its name is. */
function logoPath(code: string, version: string): string {
  return `/brand/${code}/${version}.png`
}
