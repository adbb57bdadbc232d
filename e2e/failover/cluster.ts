// Three members of etcd, three nodes of Patroni 4 with PostgreSQL 15, and HAProxy, with the files of deploy/.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../server/local/parts/postgres.ts'
import { startHaproxy } from './haproxy.ts'
import {
  createFolder,
  createFolderIn,
  type Running,
  signalPostgres,
  start,
  stopSenders,
  unpackDebian13,
  writeTemplate,
} from './processes.ts'

const binaries = '/usr/lib/postgresql/15/bin'
const passwords = { SUPERUSER_PASSWORD: 'postgres', REPLICATION_PASSWORD: 'replicator', REWIND_PASSWORD: 'rewinder' }
const healthTimeoutMs = 240_000

type Member = {
  readonly name: string
  readonly role: string
  readonly state: string
  /** Of a standby: how far it is behind in the log, in bytes. */
  readonly lag?: number | string
}
export type Node = {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly dataFolder: string
  /** For patronictl. */
  readonly configFile: string
  /** The agent. PostgreSQL runs beside it and survives it. */
  readonly agent: () => Running
  readonly start: () => void
  readonly killPostgres: () => void
  /** Kills the agent and PostgreSQL. */
  readonly kill: () => Promise<void>
  readonly freeze: () => void
  readonly freezeAgent: () => void
  readonly thaw: () => void
  readonly stopSenders: () => void
}
export type Cluster = {
  readonly nodes: readonly Node[]
  readonly proxyPort: number
  readonly apiPort: number
  readonly patronictl: { readonly program: string; readonly pythonPath: string }
  /** As the superuser through HAProxy. */
  readonly adminUrl: string
  readonly startProxy: (apiPorts: readonly [number, number]) => Promise<void>
  readonly members: () => Promise<readonly Member[]>
  readonly findNode: (role: 'leader' | 'sync_standby', except?: string) => Promise<Node>
  /** Waits for a leader and two standbys that follow it, one of them synchronous. */
  readonly untilHealthy: (isSynchronous?: boolean) => Promise<void>
  /** Changes settings that the nodes share. */
  readonly configure: (settings: object) => Promise<void>
  readonly switchOver: (leader: Node, candidate: Node) => Promise<void>
}

export async function startCluster(stops: (() => Promise<unknown>)[]): Promise<Cluster> {
  for (const program of ['/usr/bin/etcd', '/usr/sbin/haproxy', join(binaries, 'postgres')])
    if (!existsSync(program)) throw new Error('Install the Debian packages etcd-server, haproxy and postgresql-15.')
  const packages = unpackDebian13()
  const { path, remove } = createFolder()
  stops.push(remove)
  const etcdHosts = await startEtcd(path, stops)
  const nodes: Node[] = []
  for (const name of ['n1', 'n2', 'n3']) {
    const node = await prepareNode({ name, path, etcdHosts, packages })
    stops.push(node.kill)
    nodes.push(node)
    node.start()
  }
  const [proxyPort, apiPort] = [await findFreePort(), await findFreePort()]
  const adminUrl = `postgresql://postgres:postgres@127.0.0.1:${proxyPort}/postgres`
  const startProxy = async (apiPorts: readonly [number, number]): Promise<void> => {
    const bind = { database: `127.0.0.1:${proxyPort}`, api: `127.0.0.1:${apiPort}` }
    const proxy = startHaproxy(path, bind, nodes, apiPorts)
    stops.push(proxy.kill)
    await sleep(500)
  }
  const patronictl = {
    program: join(packages, 'patroni/usr/bin/patronictl'),
    pythonPath: join(packages, 'patroni/usr/lib/python3/dist-packages'),
  }
  return { nodes, proxyPort, apiPort, patronictl, adminUrl, startProxy, ...observe(nodes) }
}

async function startEtcd(path: string, stops: (() => Promise<unknown>)[]): Promise<string> {
  const ports: { name: string; client: string; peer: string }[] = []
  for (const name of ['e1', 'e2', 'e3'])
    ports.push({ name, client: `127.0.0.1:${await findFreePort()}`, peer: `127.0.0.1:${await findFreePort()}` })
  const members = ports.map(({ name, peer }) => `${name}=http://${peer}`).join(',')
  for (const { name, client, peer } of ports) {
    const peers = ['--listen-peer-urls', `http://${peer}`, '--initial-advertise-peer-urls', `http://${peer}`]
    const clients = ['--listen-client-urls', `http://${client}`, '--advertise-client-urls', `http://${client}`]
    const times = ['--heartbeat-interval', '250', '--election-timeout', '2500']
    const folder = createFolderIn(path, name)
    const args = ['--name', name, '--data-dir', folder, '--initial-cluster', members, ...peers, ...clients, ...times]
    stops.push(start(path, `etcd-${name}`, '/usr/bin/etcd', args).kill)
  }
  return ports.map(({ client }) => client).join(',')
}

type Place = {
  readonly name: string
  readonly path: string
  readonly etcdHosts: string
  readonly packages: string
}

async function prepareNode({ name, path, etcdHosts, packages }: Place): Promise<Node> {
  const [port, restPort] = [await findFreePort(), await findFreePort()]
  const folder = createFolderIn(path, name)
  const dataFolder = join(folder, 'data')
  const file = join(folder, 'patroni.yml')
  writeTemplate('patroni.yml', file, {
    NAME: name,
    ADDRESS: '127.0.0.1',
    PORT: port,
    REST_PORT: restPort,
    ETCD_HOSTS: etcdHosts,
    DATA: dataFolder,
    BINARIES: binaries,
    PASSWORD_FILE: join(folder, 'passwords'),
    SOCKETS: folder,
    NETWORK: '127.0.0.1/32',
    ...passwords,
  })
  const python = { PYTHONPATH: join(packages, 'patroni/usr/lib/python3/dist-packages') }
  const launch = (): Running =>
    start(folder, 'patroni', '/usr/bin/python3', [join(packages, 'patroni/usr/bin/patroni'), file], python)
  let agent: Running | undefined
  const running = (): Running => (agent ??= launch())
  const killPostgres = (): void => signalPostgres(dataFolder, 'SIGKILL')
  process.on('exit', killPostgres)
  return {
    name,
    port,
    restPort,
    dataFolder,
    configFile: file,
    agent: running,
    start: () => void (agent = launch()),
    killPostgres,
    kill: async () => {
      await agent?.kill()
      killPostgres()
    },
    freeze: () => {
      running().signal('SIGSTOP')
      signalPostgres(dataFolder, 'SIGSTOP')
    },
    freezeAgent: () => running().signal('SIGSTOP'),
    thaw: () => {
      signalPostgres(dataFolder, 'SIGCONT')
      running().signal('SIGCONT')
    },
    stopSenders: () => stopSenders(dataFolder),
  }
}

function observe(nodes: readonly Node[]) {
  const members = async (): Promise<readonly Member[]> => {
    for (const { restPort } of nodes)
      try {
        const reply = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1_000) })
        return ((await reply.json()) as { members: Member[] }).members
      } catch {
        // This node is down. Another one knows too.
      }
    return []
  }
  const findNode = async (role: string, except = ''): Promise<Node> => {
    const deadlineMs = performance.now() + healthTimeoutMs
    while (performance.now() < deadlineMs) {
      const found = (await members()).find((member) => member.role === role && member.name !== except)
      const node = nodes.find(({ name }) => name === found?.name)
      if (node !== undefined) return node
      await sleep(200)
    }
    throw new Error(`No node became ${role}: ${readLogs(nodes)}`)
  }
  return {
    members,
    findNode,
    untilHealthy: async (isSynchronous = true) => {
      const deadlineMs = performance.now() + healthTimeoutMs
      for (;;) {
        const all = await members()
        const following = all.filter(({ state, lag }) => state === 'streaming' && Number(lag ?? 0) < 1_000_000)
        const hasLeader = all.some(({ role, state }) => role === 'leader' && state === 'running')
        const hasSynchronous = all.some(({ role }) => role === 'sync_standby')
        if (hasLeader && following.length === nodes.length - 1 && hasSynchronous === isSynchronous) return
        if (performance.now() > deadlineMs)
          throw new Error(`The cluster is not healthy: ${JSON.stringify(all)} ${readLogs(nodes)}`)
        await sleep(300)
      }
    },
    configure: async (settings: object) => {
      const { restPort } = await findNode('leader')
      await send('PATCH', restPort, 'config', settings)
    },
    switchOver: async (leader: Node, candidate: Node) =>
      send('POST', leader.restPort, 'switchover', { leader: leader.name, candidate: candidate.name }),
  }
}

async function send(method: string, restPort: number, path: string, body: object): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${restPort}/${path}`, { method, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`Patroni answered ${path} with ${reply.status}: ${await reply.text()}`)
}

function readLogs(nodes: readonly Node[]): string {
  return nodes
    .map(({ name, dataFolder }) => {
      const file = join(dataFolder, '../patroni.log')
      return `\n${name}: ${existsSync(file) ? readFileSync(file, 'utf8').slice(-1_500) : 'no log'}`
    })
    .join('')
}
