// The release before this one, for drills of upgrades.
import { checkOut, removeCheckOut } from '../server/local/parts/check-out.ts'

/** Its tag is v0.0.0. By its commit it is found in a clone without tags too. */
const previousRelease = '86fa08c'

/** Checks the release out, and adds its removal to `stops`. */
export function checkOutPrevious(stops: (() => Promise<unknown>)[]): string {
  const sources = checkOut(previousRelease)
  stops.push(() => {
    removeCheckOut(sources)
    return Promise.resolve()
  })
  return sources
}
