// Processor time of an API process from its start until it listens. The first start fills the cache of compiled modules.
//   npm run bench -- start
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cloneTemplate, createTemplate } from '../server/local/parts/database.ts'
import { startPostgres } from '../server/local/parts/postgres.ts'
import { drillSettings } from '../server/local/drill/shop.ts'
import { systemRandom } from '../server/src/base/random.ts'

const starts = 5
// The kernel counts in hundredths of a second.
const msPerTick = 10
const script = join(import.meta.dirname, '../server/src/main.ts')

const postgres = await startPostgres()
try {
  const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const settings = { ...drillSettings(url, systemRandom(32)), LOG_LEVEL: 'info', PORT: '0', DRAIN_SECONDS: '0' }
  await measureStart(settings)
  const times: number[] = []
  for (let i = 0; i < starts; i++) times.push(await measureStart(settings))
  const sorted = times.toSorted((a, b) => a - b)
  console.log(`start cpu_ms=${sorted[Math.floor(starts / 2)]} of ${sorted.join(', ')}`)
} finally {
  await postgres.stop()
}

async function measureStart(settings: Record<string, string>): Promise<number> {
  const args = ['--max-semi-space-size=64', script, 'api']
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...settings } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stderr.pipe(process.stderr)
  const cpuMs = await new Promise<number>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      if (bytes.includes('Server listening at')) resolve(readCpuMs(child.pid ?? 0))
    })
  })
  child.kill('SIGTERM')
  await ended
  return cpuMs
}

/** The time of a process in user and system mode. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}
