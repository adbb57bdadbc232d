/** Time is injected, so that tests and the sandbox can use their own clocks. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** A clock that moves only by `advance`. */
export function createManualClock(start: Date): Clock & { advance: (ms: number) => void } {
  let nowMs = start.getTime()
  return Object.assign(() => new Date(nowMs), {
    advance: (ms: number) => {
      if (ms < 0) throw new RangeError('A clock cannot move backwards.')
      nowMs += ms
    },
  })
}
