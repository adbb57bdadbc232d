// The API as in production, with the ledger's batching on or off. Environment as for `npm start`.
import { buildApp } from '../server/src/app.ts'
import { createLog } from '../server/src/base/log.ts'
import { readConfig } from '../server/src/config.ts'

const config = readConfig()
const isUnbatched = process.argv.includes('unbatched')
// As many concurrent transactions as pgbench has clients, with one redemption each.
const { app, stop } = await buildApp(config, createLog(config.logLevel), isUnbatched ? { lanes: 8, batchMax: 1 } : {})
process.once('SIGTERM', () => void stop())
await app.listen({ host: config.host, port: config.port })
console.log('ready')
