// A real Prometheus with our rules. Debian: apt-get install prometheus
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../server/local/parts/postgres.ts'

export type Prometheus = {
  /** The names of the alerts that fire now. */
  readonly firing: () => Promise<ReadonlySet<string>>
  readonly stop: () => Promise<void>
}

/** How the rules are shortened: every `for`, and every window of an expression. Expressions and limits stay as they are. */
export type Pace = { readonly forSeconds: number; readonly windowSeconds: number }

const startTimeoutMs = 20_000
const settleMs = 2_000

function shorten(rules: string, { forSeconds, windowSeconds }: Pace): string {
  return rules
    .replaceAll(/^( +for: )\d+[smhd]$/gm, `$1${forSeconds}s`)
    .replaceAll(/\[\d+[smhd]\]/g, `[${windowSeconds}s]`)
}

function configure(targets: readonly string[]): string {
  return `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: scrip
    scrape_timeout: 1s
    static_configs: [{ targets: [${targets.map((target) => `'${target}'`).join(', ')}] }]
`
}

/** Scrapes these addresses every second. Throws if promtool refuses the rules. */
export async function startPrometheus(targets: readonly string[], rules: string, pace: Pace): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-prometheus-'))
  writeFileSync(join(folder, 'rules.yml'), shorten(rules, pace))
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, configure(targets))
  const checked = spawnSync('promtool', ['check', 'config', config], { encoding: 'utf8' })
  if (checked.status !== 0)
    throw new Error(
      `promtool refuses the rules: ${checked.error === undefined ? checked.stderr : checked.error.message}`,
    )

  const port = await findFreePort()
  const address = `127.0.0.1:${port}`
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`]
  const prometheus = spawn('prometheus', [...args, `--web.listen-address=${address}`], { stdio: 'ignore' })
  const ended = once(prometheus, 'exit')
  const killOnExit = (): unknown => prometheus.kill('SIGKILL')
  process.on('exit', killOnExit)
  await until(`http://${address}/-/ready`, () => true)
  // The alert about a missing worker may be pending until the first scrape.
  const ups = (text: string): number => text.match(/"health":"up"/g)?.length ?? 0
  await until(`http://${address}/api/v1/targets?state=active`, (text) => ups(text) === targets.length)
  await sleep(settleMs)
  return {
    firing: async () => {
      const reply = await fetch(`http://${address}/api/v1/alerts`)
      const { data } = (await reply.json()) as { data: { alerts: { state: string; labels: { alertname: string } }[] } }
      return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    stop: async () => {
      process.off('exit', killOnExit)
      prometheus.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function until(url: string, isReached: (text: string) => boolean): Promise<void> {
  const deadlineMs = performance.now() + startTimeoutMs
  while (performance.now() < deadlineMs) {
    const hasReached = await fetch(url).then(
      async (reply) => isReached(await reply.text()) && reply.status === 200,
      () => false,
    )
    if (hasReached) return
    await sleep(100)
  }
  throw new Error('Prometheus did not start, or cannot scrape.')
}
