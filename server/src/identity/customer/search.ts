import { createHash } from 'node:crypto'

/** Lower case, without accents, with single spaces: "Zoë  GRANT" is found by "zoe grant". */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/**
 * A number for every three consecutive letters, including the environment, so that a search finds nothing of another environment.
 * Not PostgreSQL's trigrams, because that extension is not available everywhere.
 */
export function gramsOf(environmentId: string, folded: string): bigint[] {
  const grams = new Set<string>()
  for (let i = 0; i + 3 <= folded.length; i++) grams.add(folded.slice(i, i + 3))
  return [...grams].map((gram) => createHash('sha256').update(`${environmentId}/${gram}`).digest().readBigInt64BE())
}
