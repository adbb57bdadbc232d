/** The settings of traces, by OpenTelemetry's standard variables. Undefined: no traces. */
export type TracesConfig = {
  /** Where spans are sent, as OTLP over HTTP in JSON. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sampler: Sampler
  readonly delayMs: number
  readonly queueMax: number
}

/** Which requests are traced. */
export type Sampler = {
  /** Follow the decision of a caller that sends `traceparent`. */
  readonly isParentBased: boolean
  /** The share of all others. */
  readonly ratio: number
}

type Environment = Readonly<Record<string, string | undefined>>
type Setting<T> = { value: T } | { problem: string }

const samplers = ['always_on', 'always_off', 'traceidratio']

export function readTraces(env: Environment): Setting<TracesConfig | undefined> {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? ''
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || (base === '' && own === '')) return { value: undefined }
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json'
  if (protocol !== 'http/json') return { problem: 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json, or be left out' }
  const url = URL.parse(own === '' ? `${base.replace(/\/$/, '')}/v1/traces` : own)
  if (url === null || !/^https?:$/.test(url.protocol))
    return { problem: 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318' }
  const sampler = readSampler(env)
  if (sampler === undefined)
    return {
      problem: `OTEL_TRACES_SAMPLER must be ${samplers.join(', ')} or parentbased_ and one of them, OTEL_TRACES_SAMPLER_ARG from 0 to 1`,
    }
  const headers = readHeaders(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? '')
  if (headers === undefined) return { problem: 'OTEL_EXPORTER_OTLP_HEADERS must be a list such as api-key=…,tenant=…' }
  const delayMs = Number(env.OTEL_BSP_SCHEDULE_DELAY ?? 5_000)
  const queueMax = Number(env.OTEL_BSP_MAX_QUEUE_SIZE ?? 2_048)
  if (!(delayMs >= 1 && queueMax >= 1))
    return { problem: 'OTEL_BSP_SCHEDULE_DELAY and OTEL_BSP_MAX_QUEUE_SIZE must be numbers from 1' }
  return { value: { url: url.href, headers, sampler, delayMs, queueMax } }
}

/** The default is that of the standard: all requests, unless their caller has decided otherwise. */
function readSampler(env: Environment): Sampler | undefined {
  const [, parent, name = ''] = /^(parentbased_)?(.*)$/.exec(env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on') ?? []
  const wanted = Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1)
  const ratio = { always_on: 1, always_off: 0, traceidratio: wanted }[name]
  if (ratio === undefined || !(ratio >= 0 && ratio <= 1)) return undefined
  return { isParentBased: parent !== undefined, ratio }
}

/** Undefined if a part is not a name and a value. The values are keys of the collector, so no message repeats them. */
function readHeaders(text: string): Record<string, string> | undefined {
  const parts = text.split(',').filter((part) => part.trim() !== '')
  const headers = parts.map((part) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(part))
  if (headers.includes(null)) return undefined
  return Object.fromEntries(headers.map((header) => [header?.[1] ?? '', decodeURIComponent(header?.[2] ?? '')]))
}
