// How busy the machine's processors were. On a shared machine, others take a part that would distort a measurement.
import { readFileSync } from 'node:fs'

type Times = { readonly idle: number; readonly stolen: number; readonly all: number }

export function readProcessor(): Times {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [, ...times] = line.split(/ +/).map(Number)
  return { idle: times[3] ?? 0, stolen: times[7] ?? 0, all: times.slice(0, 8).reduce((sum, time) => sum + time, 0) }
}

/** Shares of the time since `before`. */
export function shareSince(before: Times): { readonly idle: number; readonly stolen: number } {
  const after = readProcessor()
  const all = after.all - before.all
  return { idle: (after.idle - before.idle) / all, stolen: (after.stolen - before.stolen) / all }
}
