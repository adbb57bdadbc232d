import { useEffect } from 'react'
import { createKnown, type Memory } from '../ui/known.ts'
import { walletPath } from './main-currency.ts'
import { read } from './request-wallet.ts'
import { realm } from './realm.ts'

// The number changes with the form of the responses, so that an upgraded app does not read those of the app before it.
const prefix = `scrip-known 2 ${realm} `

/** Stores responses on this device, so that the app shows them offline. */
const memory: Memory = {
  recall: (path) => {
    const text = localStorage.getItem(prefix + path)
    if (text === null) return null
    const { data, at } = JSON.parse(text) as { readonly data: unknown; readonly at: string }
    return { data, at: new Date(at) }
  },
  keep: (path, data, at) => {
    // Sessions and passkeys stay out of local storage, and so do searches, which would fill it.
    if (!/^\/auth\/|[?&]search=/.test(path)) localStorage.setItem(prefix + path, JSON.stringify({ data, at }))
  },
  forget: () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith('scrip-known ')) localStorage.removeItem(key)
  },
}

export const { useKnown, usePeek, refresh, refreshShown, forgetAll } = createKnown(read, memory)

/** Loads the names of all currencies once the user has signed in. */
export function useCurrencies(isSignedIn: boolean): void {
  useEffect(() => {
    if (isSignedIn) void refresh(walletPath())
  }, [isSignedIn])
}
