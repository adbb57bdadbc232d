import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { Request } from './request.ts'
import type { Refusal } from './send-request.ts'

/** The last response of a path, when it came, and why the latest request failed, if it did. */
export type Known<Data> = {
  readonly data: Data | null
  readonly at: Date | null
  readonly refusal: Refusal | null
}

export type Reloadable<Data> = Known<Data> & { readonly retry: () => void }

/** Where responses are stored while the app is closed. */
export type Memory = {
  readonly recall: (path: string) => { readonly data: unknown; readonly at: Date } | null
  readonly keep: (path: string, data: unknown, at: Date) => void
  readonly forget: () => void
}

export type ResponseCache = {
  /** The response of the path, kept up to date while the component is on the screen. */
  readonly useKnown: <Data>(path: string) => Reloadable<Data>
  /** The cached response of the path, without a request. */
  readonly usePeek: <Data>(path: string) => Known<Data>
  readonly refresh: (path: string) => Promise<void>
  /** Refreshes every path on the screen, at most once a second. */
  readonly refreshShown: () => void
  readonly forgetAll: () => void
}

const refreshEveryMs = 1_000
const noMemory: Memory = { recall: () => null, keep: () => undefined, forget: () => undefined }

/**
 * A cache of responses by path, shared by all screens.
 * `isSteady` says which paths no event changes, so that they are not refreshed on every event.
 */
export function createKnown(
  read: Request['read'],
  memory: Memory = noMemory,
  isSteady: (path: string) => boolean = () => false,
): ResponseCache {
  const entries = createEntries(memory)
  const { refresh, isFetching } = createFetcher(read, memory, entries)
  /** Paths on the screen, with the number of components that show them. */
  const shown = new Map<string, number>()
  const refreshShown = throttle(() => {
    for (const path of shown.keys()) if (!isSteady(path)) void refresh(path)
  }, refreshEveryMs)

  function show(path: string): () => void {
    shown.set(path, (shown.get(path) ?? 0) + 1)
    return () => {
      const others = (shown.get(path) ?? 1) - 1
      if (others === 0) shown.delete(path)
      else shown.set(path, others)
    }
  }

  function usePeek<Data>(path: string): Known<Data> {
    return useSyncExternalStore(entries.subscribe, () => entries.get(path)) as Known<Data>
  }

  function useKnown<Data>(path: string): Reloadable<Data> {
    const value = usePeek<Data>(path)
    useEffect(() => {
      const hide = show(path)
      if (!isFetching(path)) void refresh(path)
      return hide
    }, [path])
    const retry = useCallback(() => void refresh(path), [path])
    return { ...value, retry }
  }

  /** Another user may use this device next. */
  function forgetAll(): void {
    entries.clear()
    memory.forget()
  }

  return { useKnown, usePeek, refresh, refreshShown, forgetAll }
}

type Entries = {
  readonly get: (path: string) => Known<unknown>
  readonly set: (path: string, value: Known<unknown>) => void
  readonly clear: () => void
  readonly subscribe: (listener: () => void) => () => void
}

const nothing: Known<never> = { data: null, at: null, refusal: null }
/** Marks a response from an earlier visit until the server has responded. */
export const notYetRefreshed: Refusal = { code: 'NOT_YET_REFRESHED', message: '' }

function createEntries(memory: Memory): Entries {
  const entries = new Map<string, Known<unknown>>()
  const listeners = new Set<() => void>()
  return {
    get: (path) => {
      const found = entries.get(path)
      if (found !== undefined) return found
      const stored = memory.recall(path)
      const value = stored === null ? nothing : { ...stored, refusal: notYetRefreshed }
      entries.set(path, value)
      return value
    },
    set: (path, value) => {
      entries.set(path, value)
      for (const listener of listeners) listener()
    },
    clear: () => entries.clear(),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

type Fetcher = {
  readonly refresh: (path: string) => Promise<void>
  readonly isFetching: (path: string) => boolean
}

/** The user may no longer see the data. Any other refusal leaves the cached data valid. */
const removesData = /^(SESSION_MISSING|TILL_ONLY)$|_FORBIDDEN$|_NOT_FOUND$|_UNKNOWN$/

function createFetcher(read: Request['read'], memory: Memory, entries: Entries): Fetcher {
  /** Paths with a request under way, and whether to send another one afterwards because something changed meanwhile. */
  const fetching = new Map<string, 'once' | 'again'>()

  async function refresh(path: string): Promise<void> {
    if (fetching.has(path)) {
      fetching.set(path, 'again')
      return
    }
    fetching.set(path, 'once')
    const isOutdated = await fetchOnce(path)
      .then(() => fetching.get(path) === 'again')
      .finally(() => fetching.delete(path))
    if (isOutdated) await refresh(path)
  }

  async function fetchOnce(path: string): Promise<void> {
    const response = await read<unknown>(path)
    if ('refusal' in response) {
      const { refusal } = response
      // The session has expired or was revoked: the next user of this device must find nothing.
      if (refusal.code === 'SESSION_MISSING') memory.forget()
      const { data, at } = entries.get(path)
      entries.set(path, { data: removesData.test(refusal.code) ? null : data, at, refusal })
      return
    }
    const at = new Date()
    entries.set(path, { data: response.data, at, refusal: null })
    memory.keep(path, response.data, at)
  }

  return { refresh, isFetching: (path) => fetching.has(path) }
}

/** Runs at once, or as soon as `everyMs` have passed since the last run. A busy shop has several events a second. */
function throttle(run: () => void, everyMs: number): () => void {
  let lastRunMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return function runThrottled(): void {
    clearTimeout(timer)
    const waitMs = lastRunMs + everyMs - performance.now()
    if (waitMs > 0) {
      timer = setTimeout(runThrottled, waitMs)
      return
    }
    lastRunMs = performance.now()
    run()
  }
}
