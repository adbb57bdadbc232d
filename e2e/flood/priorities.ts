import { readFileSync, writeFileSync } from 'node:fs'

const setting = '/proc/sys/kernel/sched_autogroup_enabled'

/**
 * Makes thread priorities effective against other programs for as long as the drill runs. Linux's autogroups limit them to
 * one session, and each connection of PostgreSQL is a session of its own. Needs root.
 */
export function letPrioritiesHold(stops: (() => Promise<unknown>)[]): void {
  try {
    const before = readFileSync(setting, 'utf8')
    writeFileSync(setting, '0')
    stops.push(() => {
      writeFileSync(setting, before)
      return Promise.resolve()
    })
  } catch {
    console.log('  autogroups stay on: the low priority of printing has no effect against PostgreSQL')
  }
}
