// Starts the parts of `npm run dev` one after the other, shows each with its seconds, and stops them in reverse at any moment.
export type Steps = {
  /** Shows what happens now, and the seconds that it took. It is abandoned when everything stops. */
  readonly step: <T>(what: string, work: () => T | Promise<T>) => Promise<T>
  /** The same for a part that has to be stopped: a stop waits until it has started. */
  readonly part: <T>(what: string, start: () => Promise<T>, stop: (part: T) => unknown) => Promise<T>
  /** Adds something to stop. */
  readonly onStop: (stop: () => unknown) => void
  readonly signal: AbortSignal
  readonly isStopping: () => boolean
  readonly stop: () => Promise<void>
}

export function createSteps(write: (text: string) => void): Steps {
  const abort = new AbortController()
  const stops: (() => unknown)[] = []
  let starting: Promise<unknown> = Promise.resolve()

  const isStopping = (): boolean => abort.signal.aborted

  async function step<T>(what: string, work: () => T | Promise<T>): Promise<T> {
    // After a stop nothing new starts: the caller waits here until the process ends.
    if (isStopping()) return new Promise<T>(() => undefined)
    const startedMs = performance.now()
    write(`  ${what} … `)
    const result = await work()
    if (!isStopping()) write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`)
    return result
  }
  return {
    step,
    part: (what, start, stop) =>
      step(what, async () => {
        const started = start()
        starting = started.then(
          (part) => stops.push(() => stop(part)),
          () => undefined,
        )
        await starting
        return started
      }),
    onStop: (stop) => void stops.push(stop),
    signal: abort.signal,
    isStopping,
    stop: async () => {
      if (isStopping()) return
      abort.abort()
      await starting
      for (const stop of stops.toReversed()) await stopOne(stop)
    },
  }
}

/** A part that fails to stop must not keep the others running. */
async function stopOne(stop: () => unknown): Promise<void> {
  try {
    await stop()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
}
