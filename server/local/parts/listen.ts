// Reads a stream of server-sent events, one event at a time, for tests.
type Word = { id: string; event: string; data: string }

export type Asked = { method?: string; headers?: Record<string, string>; body?: string }

type EventStream = {
  readonly status: number
  readonly type: string | null
  /** The next event, or undefined at the end of the stream. */
  readonly next: () => Promise<Word | undefined>
  readonly close: () => void
}

export async function listen(url: string, init: Asked = {}): Promise<EventStream> {
  const abort = new AbortController()
  const reply = await fetch(url, { ...init, signal: abort.signal })
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    next: async () => {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const fields = Object.fromEntries(
            text
              .slice(0, end)
              .split('\n')
              .map((line) => line.split(/: (.*)/s).slice(0, 2)),
          ) as Partial<Word>
          text = text.slice(end + 2)
          if (fields.event !== undefined) return fields as Word
          continue
        }
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done) return undefined
        text += value
      }
    },
    close: () => abort.abort(),
  }
}
