// The API as in production, with the ledger's batching on or off, or as two processes behind one port. Environment as for `npm start`.
import cluster from 'node:cluster'
import { buildApp } from '../server/src/app.ts'
import { createLog } from '../server/src/base/log.ts'
import { readConfig } from '../server/src/config.ts'

const mode = process.argv[2]
if (mode === 'two' && cluster.isPrimary) startTwo()
else await startOne()

async function startOne(): Promise<void> {
  const config = readConfig()
  // As many concurrent transactions as pgbench has clients, with one redemption each.
  const tuning = mode === 'unbatched' ? { lanes: 8, batchMax: 1, isCareful: true } : {}
  const { app, stop } = await buildApp(config, createLog(config.logLevel), tuning)
  process.once('SIGTERM', () => void stop().then(() => process.exit()))
  await app.listen({ host: config.host, port: config.port })
  if (!cluster.isWorker) console.log('ready')
}

function startTwo(): void {
  const processes = [cluster.fork(), cluster.fork()]
  let listening = 0
  cluster.on('listening', () => {
    if (++listening === processes.length) console.log('ready')
  })
  process.once('SIGTERM', () => {
    for (const each of processes) each.process.kill('SIGTERM')
  })
}
