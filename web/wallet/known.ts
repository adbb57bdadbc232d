import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { Refusal } from '../ui/ask-server.ts'
import { read, unreachable } from './ask-wallet.ts'
import { realm } from './realm.ts'

/** What the server said last, when, and what it says now if that is nothing. */
export type Known<Data> = {
  readonly data: Data | null
  readonly at: Date | null
  readonly refusal: Refusal | null
}

const nothing: Known<never> = { data: null, at: null, refusal: null }
const prefix = `scrip-known ${realm} `
const known = new Map<string, Known<unknown>>()
const listeners = new Set<() => void>()
/** What is on the screen, and is asked for anew when something has happened. */
const shown = new Map<string, number>()

function tell(path: string, value: Known<unknown>): void {
  known.set(path, value)
  for (const listener of listeners) listener()
}

/** What was known when the app was closed is shown until the server answers, and marked as old. */
function recall(path: string): Known<unknown> {
  const remembered = known.get(path)
  if (remembered !== undefined) return remembered
  const text = localStorage.getItem(prefix + path)
  const kept = text === null ? null : (JSON.parse(text) as { readonly data: unknown; readonly at: string })
  const value = kept === null ? nothing : { data: kept.data, at: new Date(kept.at), refusal: notAsked }
  known.set(path, value)
  return value
}
const notAsked: Refusal = { code: 'ASKING', message: '' }

/** What is being asked for, and whether it is to be asked for once more: something has happened meanwhile. */
const asking = new Map<string, 'once' | 'again'>()

export async function refresh(path: string): Promise<void> {
  if (asking.has(path)) {
    asking.set(path, 'again')
    return
  }
  asking.set(path, 'once')
  const isOld = await ask(path)
    .then(() => asking.get(path) === 'again')
    .finally(() => asking.delete(path))
  if (isOld) await refresh(path)
}

async function ask(path: string): Promise<void> {
  const answer = await read<unknown>(path)
  if ('refusal' in answer) {
    // Ended from elsewhere, or by its age: whoever sits here next finds nothing.
    if (answer.refusal.code === 'SESSION_MISSING') forgetKept()
    const { data, at } = recall(path)
    tell(path, { data: answer.refusal.code === unreachable ? data : null, at, refusal: answer.refusal })
    return
  }
  const at = new Date()
  tell(path, { data: answer.data, at, refusal: null })
  // What is about signing in is not left lying about.
  if (!path.startsWith('/auth/')) localStorage.setItem(prefix + path, JSON.stringify({ data: answer.data, at }))
}

/** Something has happened: whatever is on the screen may be old. */
export function refreshShown(): void {
  for (const path of shown.keys()) void refresh(path)
}

/** Another person may sit here next. */
export function forgetAll(): void {
  known.clear()
  forgetKept()
}

function forgetKept(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith('scrip-known ')) localStorage.removeItem(key)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is known of this path, which somebody else keeps up to date. */
export function usePeek<Data>(path: string): Known<Data> {
  return useSyncExternalStore(subscribe, () => recall(path)) as Known<Data>
}

/** What the server says at this path, kept up to date while it is shown. */
export function useKnown<Data>(path: string): Known<Data> & { readonly retry: () => void } {
  const value = usePeek<Data>(path)
  useEffect(() => {
    shown.set(path, (shown.get(path) ?? 0) + 1)
    if (!asking.has(path)) void refresh(path)
    return () => {
      const others = (shown.get(path) ?? 1) - 1
      if (others === 0) shown.delete(path)
      else shown.set(path, others)
    }
  }, [path])
  const retry = useCallback(() => void refresh(path), [path])
  return { ...value, retry }
}

export function useCurrencies(isSignedIn: boolean): void {
  useEffect(() => {
    if (isSignedIn) void refresh('/wallet')
  }, [isSignedIn])
}
