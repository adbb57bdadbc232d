import { useSyncExternalStore } from 'react'
import type { Location } from '../shell/responses.ts'
import { place } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'

type Locations = { readonly locations: readonly Location[] }

/** A register with the name of its location. */
export type Register = { readonly id: string; readonly name: string; readonly location: string }

export type DeviceRegister = {
  /** Whether the registers of the shop are loaded. */
  readonly isLoaded: boolean
  readonly registers: readonly Register[]
  /** The one that this device is at, if it still exists. */
  readonly register: Register | undefined
  readonly choose: (id: string) => void
}

const locationsPath = '/merchant-integrations-server/locations'

const key = `scrip-register ${place?.code ?? ''}`
const listeners = new Set<() => void>()

function listen(onChange: () => void): () => void {
  listeners.add(onChange)
  return () => listeners.delete(onChange)
}

function choose(id: string): void {
  localStorage.setItem(key, id)
  for (const onChange of listeners) onChange()
}

/** The register of this device. It is stored here, because every device of a shop is at another one. */
export function useRegister(): DeviceRegister {
  const known = useKnown<Locations>(locationsPath)
  const chosen = useSyncExternalStore(listen, () => localStorage.getItem(key) ?? '')
  const registers = (known.data?.locations ?? []).flatMap((location) =>
    location.registers.map(({ id, name }) => ({ id, name, location: location.name })),
  )
  return { isLoaded: known.data !== null, registers, register: registers.find(({ id }) => id === chosen), choose }
}

export function nameRegister({ name, location }: Register): string {
  return `${location} · ${name}`
}

export function shiftPath({ id }: Register): string {
  return `/merchant/registers/${id}/shift`
}
