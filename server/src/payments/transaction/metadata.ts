import { transactionError } from './errors.ts'

const metadataMax = 4_096

/** Checks the metadata of a merchant and returns it as JSON text, or as '' if there is none, as for all other transactions. */
export function readMetadata(metadata: object | undefined): string {
  if (metadata === undefined) return ''
  const text = JSON.stringify(metadata)
  if (text.length > metadataMax || depthOf(metadata) > 3)
    throw transactionError('METADATA_TOO_DEEP', { param: 'metadata' })
  return text
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
