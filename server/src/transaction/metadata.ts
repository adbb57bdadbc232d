import { transactionError } from './errors.ts'

const metadataMax = 4_096

/** Whatever a merchant wants to find again with a transaction, as JSON text. */
export function readMetadata(metadata: object): string {
  const text = JSON.stringify(metadata)
  if (text.length > metadataMax || depthOf(metadata) > 3)
    throw transactionError('METADATA_TOO_DEEP', { param: 'metadata' })
  return text
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
