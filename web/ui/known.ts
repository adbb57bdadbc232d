import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { Ask } from './ask.ts'
import type { Refusal } from './ask-server.ts'

/** What the server said last, when, and what it says now if that is nothing. */
export type Known<Data> = {
  readonly data: Data | null
  readonly at: Date | null
  readonly refusal: Refusal | null
}

/** Where answers are kept when the app is closed. */
export type Memory = {
  readonly recall: (path: string) => { readonly data: unknown; readonly at: Date } | null
  readonly keep: (path: string, data: unknown, at: Date) => void
  readonly forget: () => void
}

const lookMs = 1_000
const nothing: Known<never> = { data: null, at: null, refusal: null }
const notAsked: Refusal = { code: 'ASKING', message: '' }
/** Whoever hears this may not know it any more. Any other refusal says nothing of what was known. */
const isForgotten = /^(SESSION_MISSING|TILL_ONLY)$|_FORBIDDEN$|_NOT_FOUND$|_UNKNOWN$/
const noMemory: Memory = { recall: () => null, keep: () => undefined, forget: () => undefined }

/** What the server says, by path, for all screens together. What is steady is not changed by what happens. */
export function createKnown(
  read: Ask['read'],
  memory: Memory = noMemory,
  isSteady: (path: string) => boolean = () => false,
) {
  const known = new Map<string, Known<unknown>>()
  const listeners = new Set<() => void>()
  /** What is on the screen, and is asked for anew when something has happened. */
  const shown = new Map<string, number>()
  /** What is being asked for, and whether it is to be asked for once more: something has happened meanwhile. */
  const asking = new Map<string, 'once' | 'again'>()

  function tell(path: string, value: Known<unknown>): void {
    known.set(path, value)
    for (const listener of listeners) listener()
  }

  /** What was known when the app was closed is shown until the server answers, and marked as old. */
  function recall(path: string): Known<unknown> {
    const remembered = known.get(path)
    if (remembered !== undefined) return remembered
    const kept = memory.recall(path)
    const value = kept === null ? nothing : { ...kept, refusal: notAsked }
    known.set(path, value)
    return value
  }

  async function refresh(path: string): Promise<void> {
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
      if (answer.refusal.code === 'SESSION_MISSING') memory.forget()
      const { data, at } = recall(path)
      tell(path, { data: isForgotten.test(answer.refusal.code) ? null : data, at, refusal: answer.refusal })
      return
    }
    const at = new Date()
    tell(path, { data: answer.data, at, refusal: null })
    memory.keep(path, answer.data, at)
  }

  let refreshedMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Something has happened: whatever is on the screen may be old. In a busy shop something always has: a second passes between two looks. */
  function refreshShown(): void {
    clearTimeout(timer)
    const waitMs = refreshedMs + lookMs - performance.now()
    if (waitMs > 0) {
      timer = setTimeout(refreshShown, waitMs)
      return
    }
    refreshedMs = performance.now()
    for (const path of shown.keys()) if (!isSteady(path)) void refresh(path)
  }

  /** Another person may sit here next. */
  function forgetAll(): void {
    known.clear()
    memory.forget()
  }

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** What is known of this path, which somebody else keeps up to date. */
  function usePeek<Data>(path: string): Known<Data> {
    return useSyncExternalStore(subscribe, () => recall(path)) as Known<Data>
  }

  /** What the server says at this path, kept up to date while it is shown. */
  function useKnown<Data>(path: string): Known<Data> & { readonly retry: () => void } {
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

  return { useKnown, usePeek, refresh, refreshShown, forgetAll }
}
