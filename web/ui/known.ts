import { QueryCache, QueryClient, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
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
// A list that the user returns to is shown at once, and refreshed behind it.
const keptMs = 30 * 60 * 1_000
const noMemory: Memory = { recall: () => null, keep: () => undefined, forget: () => undefined }
/** Marks a response from an earlier visit until the server has responded. */
export const notYetRefreshed: Refusal = { code: 'NOT_YET_REFRESHED', message: '' }
/** The user may no longer see the data. Any other refusal leaves the cached data valid. */
const removesData = /^(SESSION_MISSING|TILL_ONLY)$|_FORBIDDEN$|_NOT_FOUND$|_UNKNOWN$/

class RequestRefused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/**
 * A cache of responses by path, shared by all screens.
 * `isSteady` says which paths no event changes, so that they are not refreshed on every event.
 */
export function createKnown(
  read: Request['read'],
  memory: Memory = noMemory,
  isSteady: (path: string) => boolean = () => false,
): ResponseCache {
  const client = createClient(memory)
  const optionsOf = (path: string) => ({
    queryKey: [path],
    queryFn: () => readOrThrow(read, path),
    initialData: () => memory.recall(path)?.data,
    initialDataUpdatedAt: () => memory.recall(path)?.at.getTime(),
  })

  function useCached<Data>(path: string, enabled: boolean): Known<Data> {
    const { data, dataUpdatedAt, error, isFetched } = useQuery({ ...optionsOf(path), enabled }, client)
    const refusal = error instanceof RequestRefused ? error.refusal : null
    if (data === undefined) return { data: null, at: null, refusal }
    const at = new Date(dataUpdatedAt)
    if (refusal !== null && removesData.test(refusal.code)) return { data: null, at, refusal }
    // Each path has one type of response, which its callers name.
    return { data: data as Data, at, refusal: isFetched ? refusal : notYetRefreshed }
  }

  /** Sends a request even if one is under way, because its response may be from before a change. */
  async function refresh(path: string): Promise<void> {
    await client.cancelQueries({ queryKey: [path], exact: true })
    // A refusal is in the cache, for the screens that show the path.
    await client.query({ ...optionsOf(path), staleTime: 0 }).catch(() => undefined)
  }

  function useKnown<Data>(path: string): Reloadable<Data> {
    const known = useCached<Data>(path, true)
    const retry = useCallback(() => void refresh(path), [path])
    return { ...known, retry }
  }

  function usePeek<Data>(path: string): Known<Data> {
    return useCached<Data>(path, false)
  }

  /** Another user may use this device next. */
  function forgetAll(): void {
    memory.forget()
    empty(client)
  }

  return { useKnown, usePeek, refresh, refreshShown: createRefreshShown(client, isSteady), forgetAll }
}

/** What is on the screen stays connected to the cache, and shows nothing until it is read again. */
function empty(client: QueryClient): void {
  void client.cancelQueries({}, { revert: false, silent: true })
  client.removeQueries({ predicate: (query) => query.getObserversCount() === 0 })
  for (const query of client.getQueryCache().getAll())
    query.setState({
      data: undefined,
      dataUpdateCount: 0,
      dataUpdatedAt: 0,
      error: null,
      errorUpdateCount: 0,
      fetchStatus: 'idle',
      status: 'pending',
    })
}

function createClient(memory: Memory): QueryClient {
  const queryCache = new QueryCache({
    onSuccess: (data, { queryKey: [path] }) => memory.keep(String(path), data, new Date()),
    // The session has expired or was revoked: the next user of this device must find nothing.
    onError: (error) => {
      if (error instanceof RequestRefused && error.refusal.code === 'SESSION_MISSING') memory.forget()
    },
  })
  const queries = {
    gcTime: keptMs,
    // A failed request is shown with a button to repeat it, and repeated with the next event.
    retry: false,
    networkMode: 'always',
    // `useLive` refreshes when the user or the network returns.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  } as const
  return new QueryClient({ queryCache, defaultOptions: { queries } })
}

async function readOrThrow(read: Request['read'], path: string): Promise<unknown> {
  const answer = await read<unknown>(path)
  if ('refusal' in answer) throw new RequestRefused(answer.refusal)
  return answer.data
}

/**
 * Refreshes what is on the screen, at most once a second: a busy shop has several events a second. Requests under way are not cut
 * off, since slow ones would never end then; another round follows, because their responses may be from before the event.
 */
function createRefreshShown(client: QueryClient, isSteady: (path: string) => boolean): () => void {
  const shown = {
    type: 'active',
    predicate: ({ queryKey: [path] }: { readonly queryKey: readonly unknown[] }) => !isSteady(String(path)),
  } as const
  let isRunning = false
  let isAskedAgain = false

  async function run(): Promise<void> {
    isAskedAgain = client.isFetching(shown) > 0
    await Promise.all([
      client.refetchQueries(shown, { cancelRefetch: false }),
      new Promise((resolve) => setTimeout(resolve, refreshEveryMs)),
    ])
    if (isAskedAgain) await run()
  }

  return () => {
    isAskedAgain = true
    if (isRunning) return
    isRunning = true
    void run().finally(() => {
      isRunning = false
    })
  }
}
