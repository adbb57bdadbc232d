import { createHash, randomBytes } from 'node:crypto'

/** A source of unpredictable bytes. */
export type Random = (size: number) => Buffer

export const systemRandom: Random = (size) => randomBytes(size)

/** Returns the same bytes for the same seed, so that a failing run can be repeated. Never use it for secrets. */
export function createSeededRandom(seed: string): Random {
  let counter = 0
  return (size) => {
    const blocks: Buffer[] = []
    for (let length = 0; length < size; length += 32)
      blocks.push(createHash('sha256').update(`${seed}:${counter++}`).digest())
    return Buffer.concat(blocks).subarray(0, size)
  }
}
