// Five kinds of faults. Each waits until payments are acknowledged again, and repairs what it broke.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Node } from './cluster.ts'
import type { Load } from '../steady-load.ts'

export type Fault = {
  readonly name: string
  /** `steady` is how many redemptions are acknowledged before the fault is over, so that not only those that waited are. */
  readonly inject: (cluster: Cluster, load: Load, steady: number) => Promise<unknown>
}

async function untilReplaced(cluster: Cluster, load: Load, steady: number, lost: Node): Promise<void> {
  await cluster.findNode('leader', lost.name)
  await load.untilAcknowledged(steady)
}

export const killNode: Fault = {
  name: 'kill -9 of a whole node',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    await leader.kill()
    await untilReplaced(cluster, load, steady, leader)
    leader.start()
  },
}

/** The standbys miss the last half second, as after a fault of the network. Nothing of it may have been acknowledged. */
export const killNodeAhead: Fault = {
  name: 'kill -9 of a whole node, whose standbys are behind',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    leader.stopSenders()
    await sleep(600)
    await leader.kill()
    await untilReplaced(cluster, load, steady, leader)
    leader.start()
  },
}

export const killPostgres: Fault = {
  name: 'kill -9 of PostgreSQL only',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    leader.killPostgres()
    await load.untilAcknowledged(steady)
  },
}

export const freezeNode: Fault = {
  name: 'freeze of a whole node',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    leader.freeze()
    await untilReplaced(cluster, load, steady, leader)
    leader.thaw()
  },
}

/** PostgreSQL goes on as a second primary: nothing that it commits alone may be acknowledged. */
export const freezeAgent: Fault = {
  name: 'freeze of the agent',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    leader.freezeAgent()
    await untilReplaced(cluster, load, steady, leader)
    leader.thaw()
  },
}

export const switchOver: Fault = {
  name: 'planned switchover',
  inject: async (cluster, load, steady) => {
    const leader = await cluster.findNode('leader')
    await cluster.switchOver(leader, await cluster.findNode('sync_standby'))
    await load.untilAcknowledged(steady)
  },
}

export const killStandby: Fault = {
  name: 'kill -9 of the synchronous standby',
  inject: async (cluster, load, steady) => {
    const standby = await cluster.findNode('sync_standby')
    await standby.kill()
    await load.untilAcknowledged(steady)
    standby.start()
  },
}
