import type { Operation } from './openapi.ts'

export const keyPlaceholder = 'YOUR_PUBLIC_KEY'

/** The body that a request starts with, as JSON text. Empty for a request without a body. */
export function sampleBody({ bodyExample }: Operation): string {
  return bodyExample === undefined ? '' : JSON.stringify(bodyExample, null, 2)
}

type Values = Readonly<Record<string, string>>

/** The path with its parameters and the query. Empty optional parameters are left out. */
export function addressOf({ path, parameters }: Operation, values: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: place }) => {
      const value = values[name] ?? ''
      return place === 'query' && value !== '' ? [[name, value]] : []
    }),
  ).toString()
  return query === '' ? filled : `${filled}?${query}`
}

/** The values that a request starts with: the examples of its required parameters. */
export function sampleValues({ parameters }: Operation): Values {
  return Object.fromEntries(
    parameters.map(({ name, required, example = '' }) => [name, required === true ? String(example) : '']),
  )
}

/** A command for a shell. The secret key stays in a variable, so that it is not in the history of the shell. */
export function writeCurl(operation: Operation, publicKey: string, origin: string): string {
  const { method, needsSecretKey, bodyExample } = operation
  const address = `${origin}${addressOf(operation, sampleValues(operation))}`
  const lines = [
    method === 'GET' ? `curl "${address}"` : `curl -X ${method} "${address}"`,
    `-H "Authorization: Bearer ${publicKey === '' ? keyPlaceholder : publicKey}"`,
    needsSecretKey ? '-H "X-API-Private-Key: $SCRIP_SECRET_KEY"' : '',
    bodyExample === undefined ? '' : '-H "Content-Type: application/json"',
    bodyExample === undefined ? '' : `-d '${JSON.stringify(bodyExample).replaceAll("'", "'\\''")}'`,
  ]
  return lines.filter((line) => line !== '').join(' \\\n  ')
}
