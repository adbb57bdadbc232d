// What `npm run dev` shows of the log: one line for each request, and warnings as they are.
type Line = {
  readonly level: number
  readonly msg?: string
  readonly requestId?: string
  readonly method?: string
  readonly route?: string
  readonly status?: number
  readonly elapsedMs?: number
}

const warning = 40

/** Shows the route and never the path, which can contain a voucher code. Undefined: nothing to show. */
export function formatLogLine(text: string, now: Date): string | undefined {
  const line = JSON.parse(text) as Line
  if (line.level >= warning) return text
  if (line.msg !== 'answered') return undefined
  const { method = '', route = '', status = 0, elapsedMs = 0, requestId = '' } = line
  const time = now.toTimeString().slice(0, 8)
  return `${time}  ${status}  ${method.padEnd(6)} ${route}  ${elapsedMs} ms  ${requestId}\n`
}
