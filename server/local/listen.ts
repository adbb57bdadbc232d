// Reads a stream of server-sent events word by word, for tests.
export type Word = { id: string; event: string; data: string }

export type Asked = { method?: string; headers?: Record<string, string>; body?: string }

export async function listen(url: string, init: Asked = {}) {
  const calledOff = new AbortController()
  const reply = await fetch(url, { ...init, signal: calledOff.signal })
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    /** The next word, or nothing if it ends. */
    next: async (): Promise<Word | undefined> => {
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
    close: () => calledOff.abort(),
  }
}
