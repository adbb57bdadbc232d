// Loaded into a server before its own code (node --import), of any revision: counts what its process does. On SIGUSR2 it prints a
// line and starts to count anew.
import { Socket } from 'node:net'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

const databasePort = Number(new URL(process.env.DATABASE_URL ?? '').port)
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

let pauses: number[] = []
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) pauses.push(duration)
}).observe({ entryTypes: ['gc'] })

let packets = 0
type Write = (this: Socket, ...args: unknown[]) => void
const sockets = Socket.prototype as unknown as Record<'_write' | '_writev', Write>
for (const name of ['_write', '_writev'] as const) {
  const original = sockets[name]
  sockets[name] = function (...args) {
    if (this.remotePort === databasePort) packets++
    original.apply(this, args)
  }
}

process.on('SIGUSR2', () => {
  const gc = { maxMs: Math.max(0, ...pauses), sumMs: pauses.reduce((sum, ms) => sum + ms, 0) }
  console.log(`probe ${JSON.stringify({ packets, gc, delayP99Ms: delay.percentile(99) / 1e6 })}`)
  packets = 0
  pauses = []
  delay.reset()
})
