/** The time is passed in, never taken: a test and the sandbox have clocks of their own. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** A clock that moves only when told to. */
export function createManualClock(start: Date): Clock & { advance: (ms: number) => void } {
  let nowMs = start.getTime()
  return Object.assign(() => new Date(nowMs), {
    advance: (ms: number) => {
      if (ms < 0) throw new RangeError('A clock does not go back.')
      nowMs += ms
    },
  })
}
