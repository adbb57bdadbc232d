/** Calls `onChange` for every change event of the server, until the stream ends. */
export async function readStream(body: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let line = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (line + decoder.decode(value, { stream: true })).split('\n')
    line = lines.pop() ?? ''
    if (lines.includes('event: changed')) onChange()
  }
}
