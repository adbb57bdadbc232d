import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

export type NewId = () => string

const sequenceMax = 0xfff
const randomBlockIds = 256

/**
 * UUIDv7: milliseconds, a 12-bit sequence, 62 random bits. The ids of one generator increase strictly, even within a millisecond
 * and when the clock steps back, so that new rows are appended at the right end of their index.
 */
export function createIds(clock: Clock, random: Random): NewId {
  let lastMs = 0
  let sequence = 0
  let prefix = ''
  const moveTo = (ms: number): void => {
    lastMs = ms
    sequence = 0
    const time = ms.toString(16).padStart(12, '0')
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`
  }
  // Draw random bytes in blocks: a system call per id would cost more than the rest of the work.
  let block = random(0)
  let offset = 0

  return () => {
    const nowMs = clock().getTime()
    if (nowMs > lastMs) moveTo(nowMs)
    else if (++sequence > sequenceMax) moveTo(lastMs + 1)
    if (offset >= block.length) {
      block = random(8 * randomBlockIds)
      offset = 0
    }
    const tail = block.toString('hex', offset, offset + 8)
    offset += 8
    const variant = ((parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16)
    return `${prefix}${sequence.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
}

/** The creation time of an id, to the millisecond. Rows store the same time, so a range of time is a range of ids. */
export function timeOfId(id: string): Date {
  return new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}
