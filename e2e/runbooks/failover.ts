// The rehearsal of a failover, on a Patroni cluster of its own: the machine of the leader fails while shops redeem.
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorld } from '../failover/world.ts'
import { compareWith, startLoad, writeAcknowledged } from '../steady-load.ts'
import type { Installation } from './installation.ts'
import type { Rehearsal } from './rehearsals.ts'

export async function failOver({ stops, env }: Installation): Promise<Rehearsal> {
  const world = await createWorld(stops, true)
  const { cluster, pool, shop, vouchers, settings } = world
  const folder = mkdtempSync(join(tmpdir(), 'scrip-failover-'))
  stops.push(() => rm(folder, { recursive: true }))
  const { program, pythonPath } = cluster.patronictl
  const command = join(folder, 'patronictl')
  writeFileSync(command, `#!/bin/sh\nPYTHONPATH=${pythonPath} exec /usr/bin/python3 ${program} "$@"\n`)
  chmodSync(command, 0o755)
  const envFile = join(folder, 'scrip.env')
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(envFile, lines.join(''), { mode: 0o600 })
  const acknowledgedFile = join(folder, 'acknowledged.jsonl')

  const load = startLoad([{ port: cluster.apiPort }], shop, { vouchers, clients: 8, perSecond: 50 })
  await load.untilAcknowledged(100)
  await cluster.untilHealthy()
  const leader = await cluster.findNode('leader')
  await leader.kill()
  await cluster.findNode('leader', leader.name)
  const other = cluster.nodes.find(({ name }) => name !== leader.name)
  return {
    env: {
      PATH: `${folder}:${env.PATH ?? ''}`,
      PATRONI_CONFIG: other?.configFile ?? '',
      CLUSTER: 'scrip',
      OLD_LEADER: leader.name,
      API_1_URL: world.processes[0]?.baseUrl ?? '',
      ENV_FILE: envFile,
      ACKNOWLEDGED: acknowledgedFile,
    },
    before: {
      Verify: () => {
        writeAcknowledged(acknowledgedFile, 'SHOP', load.acknowledged)
        return Promise.resolve()
      },
      'Bring the old leader back': () => {
        leader.start()
        return Promise.resolve()
      },
      'Switch over': () => cluster.untilHealthy(),
    },
    finish: async () => {
      await load.untilAcknowledged(50)
      await load.stop()
      const { lost, doubled } = await compareWith(pool, shop, load.acknowledged)
      const wrong = lost + doubled > 0 ? [`${lost} payments are lost, ${doubled} doubled`] : []
      return [...wrong, ...load.refused.slice(0, 5)]
    },
  }
}
