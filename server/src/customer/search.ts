import { createHash } from 'node:crypto'

/** Lower case, without accents, spaces as one: "Zoë  GRANT" is found by "zoe grant". */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/**
 * A number for every three letters in a row, with the environment in it. PostgreSQL's own trigrams are an extension that
 * not every installation has; and these find nothing of another environment.
 */
export function gramsOf(environmentId: string, folded: string): bigint[] {
  const grams = new Set<string>()
  for (let i = 0; i + 3 <= folded.length; i++) grams.add(folded.slice(i, i + 3))
  return [...grams].map((gram) => createHash('sha256').update(`${environmentId}/${gram}`).digest().readBigInt64BE())
}
