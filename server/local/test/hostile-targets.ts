// Sends webhooks to addresses that no webhook may reach, in a network where all addresses lead to one listener, and prints
// where connections arrived. It needs its own network and mount namespaces, so that it does not affect the machine:
//   unshare --net --mount node hostile-targets.ts
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { Agent, interceptors, request } from 'undici'
import { createGuardedAgent } from '../../src/messaging/event/guarded-agent.ts'
import { send } from '../../src/messaging/event/send.ts'

/** The result of one delivery, and the addresses at which the listener saw a connection because of it. */
export type Visit = { statusCode: number | null; failure: string; arrivals: string[] }

/** Where an unguarded delivery to this URL arrives. Null: the kernel itself refuses such a connection. */
type Target = { url: string; arrivesAt: string | null }

type Compared = Target & { guarded: Visit; unguarded: Visit }

export type Findings = {
  hostile: Compared[]
  /** The guarded agent returns the redirect, the unguarded one follows it. */
  redirects: (Compared & { status: number })[]
  malformed: { url: string; guarded: Visit }[]
  public: (Target & { guarded: Visit })[]
  /** With 10.0.5.0/24 allowed. */
  letIn: (Target & { guarded: Visit })[]
  /** The order in which the system returns the addresses of names that have several. */
  orders: Record<string, string[]>
  rebinding: {
    /** The addresses that a look-up found before each of the two deliveries that follow. */
    looks: string[]
    guardedAfterLook: Visit
    unguardedAfterLook: Visit
    /** Two deliveries to one name, which moves between them. */
    guardedFirst: Visit
    guardedSecond: Visit
  }
  /** Connections that arrived after the delivery had ended. */
  late: string[]
}

const publicV4 = '93.184.216.34'
const otherPublicV4 = '93.184.216.35'
const publicV6 = '2606:2800:220:1::1'
const privateV4 = '10.0.6.7'
const privateV6 = 'fd00::6:7'
const nameServer = '127.0.0.53'

const port = 8080
// Only the private addresses listen on this port, so that a client that tries all addresses ends at them.
const privatePort = 8081

const hostileAddresses = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.254', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.9.8.7'],
  ...['169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.254', '192.0.0.1', '192.0.0.192', '192.0.2.1'],
  ...['192.88.99.1', '192.168.0.1', '192.168.255.254', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::a9fe:a9fe', '::5db8:d822', '::ffff:0.0.0.0', '::ffff:10.0.0.1', '::ffff:127.0.0.1'],
  ...['::ffff:169.254.169.254', '::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1'],
  ...['100::1', '2001:0:7f00:1::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::1'],
  ...['2002:a9fe:a9fe::1', '3fff::1', '4000::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'febf::1'],
  ...['fec0::1', 'feff::1', 'ff02::1', 'ff0e::1'],
]

// Other ways to write an address. The URL standard parses each as the address above it.
const spellings: Record<string, string[]> = {
  '127.0.0.1': [
    ...['http://127.1:8080/', 'http://127.0.1:8080/', 'http://127.0.0.1.:8080/', 'http://2130706433:8080/'],
    ...['http://0177.0.0.1:8080/', 'http://017700000001:8080/', 'http://00000177.0.0.01:8080/'],
    ...['http://0x7f000001:8080/', 'http://0x7F.0x0.0x0.0x1:8080/', 'http://0x7f.1:8080/', 'http://0x7f.0.01.:8080/'],
    ...['http://0:8080/', 'http://0x0:8080/', 'http://0.0:8080/'],
    // Full-width and circled digits, and the full stops of other scripts.
    ...['http://１２７.０.０.１:8080/', 'http://①②⑦.⓪.⓪.①:8080/', 'http://𝟭𝟮𝟳.𝟬.𝟬.𝟭:8080/'],
    ...['http://127。0。0。1:8080/', 'http://127．0．0．1:8080/', 'http://127｡0｡0｡1:8080/', 'http://０ｘ７ｆ.1:8080/'],
    ...['http://%31%32%37.0.0.1:8080/', 'http://127%2e0%2E0%2e1:8080/', 'http://%EF%BC%9127.0.0.1:8080/'],
    // Invisible characters that the URL standard removes.
    ...['http://127.0.0\u00ad.1:8080/', 'http://127.\u200b0.0.1:8080/', 'http://127.\t0.\n0.1:8080/'],
    ...[' http://127.0.0.1:8080/', 'HTTP://127.0.0.1:8080/', 'http:127.0.0.1:8080/', 'http:/127.0.0.1:8080/'],
    ...['http:////127.0.0.1:8080/', 'http:\\\\127.0.0.1:8080\\', 'http://127.0.0.1:0008080/'],
    // The host looks like the public one.
    ...[`http://${publicV4}@127.0.0.1:8080/`, `http://${publicV4}:80@127.0.0.1:8080/`],
    ...[`http://${publicV4}%2f@127.0.0.1:8080/`, `http://a@${publicV4}@127.0.0.1:8080/`],
    ...[`http://127.0.0.1:8080\\@${publicV4}/`, `http://127.0.0.1:8080#@${publicV4}/`],
    ...[`http://127.0.0.1:8080?@${publicV4}/`, 'http://public.example:80@127.0.0.1:8080/'],
    // A port that the URL does not name, and TLS, of which the listener only sees the start.
    ...['http://127.0.0.1/', 'https://127.0.0.1/', 'https://127.1:8080/', 'https://[::ffff:7f00:1]/'],
    ...['http://[::ffff:7f00:1]:8080/', 'http://[::FFFF:127.0.0.1]:8080/', 'http://[0:0:0:0:0:ffff:127.0.0.1]:8080/'],
  ],
  '169.254.169.254': [
    ...['http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://0xA9FEA9FE/'],
    ...['http://169.254.43518/', 'http://0251.0376.0251.0376/', 'http://0xa9.254.0251.254/', 'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/'],
    ...[`http://${publicV4}@169.254.169.254/`, 'http://[::ffff:a9fe:a9fe]/', 'https://169.254.169.254/'],
  ],
  '::1': [
    ...['http://[::1]/', 'https://[::1]/', 'http://[0:0:0:0:0:0:0:1]:8080/', 'http://[0000::0001]:8080/'],
    ...['http://[::0.0.0.1]:8080/', `http://${publicV4}@[::1]:8080/`, 'http://[0::0]:8080/'],
  ],
  '10.0.0.1': ['http://10.1:8080/', 'http://167772161:8080/', 'http://012.0.0.1:8080/', 'http://0xa.1:8080/'],
  'fd00:ec2::254': ['http://[FD00:EC2::254]/', 'http://[fd00:0ec2:0:0:0:0:0:254]/', 'https://[fd00:ec2::254]/'],
}

// Not a URL, or none that a webhook is sent to.
const malformedUrls = [
  ...['http://[fe80::1%25lo]:8080/', 'http://[::1%25lo]:8080/', 'http://[::1%lo]:8080/', 'http://[127.0.0.1]:8080/'],
  ...['http://127.0.0.1.1:8080/', 'http://256.0.0.1:8080/', 'http://0x7f.0.0.0.1:8080/', 'http://4294967296:8080/'],
  ...['http://127.0.0.1:99999/', 'http://127.0.0.1%00.example:8080/', '//127.0.0.1:8080/', '127.0.0.1:8080'],
  ...['ftp://127.0.0.1:8080/', 'gopher://127.0.0.1:8080/', 'ws://127.0.0.1:8080/', 'file:///etc/passwd'],
]

const hostsFile = ['127.0.0.1 localhost loghost.example', '::1 ip6-localhost', `${privateV4} written.example`]

/** The name server's answers: the first list for the first query of a name, the last list from then on. */
const names: Record<string, string[][]> = {
  'public.example': [[publicV4]],
  'public-6.example': [[publicV6]],
  'public-both.example': [[publicV4, publicV6]],
  'inside.example': [[privateV4]],
  'inside-6.example': [[privateV6]],
  'wiki.corp.example': [[privateV4]],
  // The hosts file has it only without the dot.
  localhost: [['127.0.0.1']],
  'app.localhost': [['127.0.0.1']],
  'xn--bcher-kva.example': [[privateV4]],
  'public-first.example': [[publicV4, privateV4]],
  'private-first.example': [[privateV4, publicV4]],
  'public-first-6.example': [[publicV6, privateV6]],
  'private-first-6.example': [[privateV6, publicV6]],
  'public-4-private-6.example': [[publicV4, privateV6]],
  'private-4-public-6.example': [[privateV4, publicV6]],
  'one-of-five.example': [[publicV4, otherPublicV4, '93.184.216.36', '93.184.216.37', privateV4]],
  'mapped-6.example': [[publicV6, `::ffff:${privateV4}`]],
  'rebinding-a.example': [[publicV4], [privateV4]],
  'rebinding-b.example': [[publicV4], [privateV4]],
  'rebinding-c.example': [[publicV4], [privateV4]],
  'let-in.example': [['10.0.5.7']],
  'let-in-96.example': [['::a00:507']],
  'half-let-in.example': [['10.0.5.7', privateV4]],
  ...Object.fromEntries(hostileAddresses.map((address) => [nameOf(address), [[address]]])),
}
const aliases: Record<string, string> = { 'alias.example': 'inside.example', 'alias-of-alias.example': 'alias.example' }

// A client that tries all addresses of a name ends at this one.
const hostileNames: Target[] = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'LocalHost.', 'ｌｏｃａｌｈｏｓｔ', 'ⓛocalhost', '%6c%6f%63alhost'],
  ...['loc\u00adalhost', 'loghost.example', 'app.localhost', `${publicV4}@localhost`],
]
  .map((host): Target => ({ url: `http://${host}:${port}/`, arrivesAt: '127.0.0.1' }))
  .concat(
    [
      ...['inside.example', 'inside.example.', 'INSIDE.Example', 'inside。example', 'ｉｎｓｉｄｅ.example'],
      ...['alias.example', 'alias-of-alias.example', 'written.example', 'wiki', 'bücher.example'],
      'public.example@inside.example',
    ].map((host) => ({ url: `http://${host}:${port}/`, arrivesAt: privateV4 })),
    ['public-first', 'private-first', 'private-4-public-6', 'one-of-five', 'mapped-6'].map((name) => ({
      url: `http://${name}.example:${privatePort}/`,
      arrivesAt: privateV4,
    })),
    ['public-first-6', 'private-first-6', 'public-4-private-6'].map((name) => ({
      url: `http://${name}.example:${privatePort}/`,
      arrivesAt: privateV6,
    })),
    [
      { url: 'http://localhost/', arrivesAt: '127.0.0.1' },
      { url: 'https://localhost/', arrivesAt: '127.0.0.1' },
      { url: 'https://inside.example/', arrivesAt: privateV4 },
      { url: `http://ip6-localhost:${port}/`, arrivesAt: '::1' },
      { url: `http://inside-6.example:${port}/`, arrivesAt: privateV6 },
    ],
  )

const hostileTargets: Target[] = [
  ...hostileAddresses.flatMap((address) => [
    { url: `http://${address.includes(':') ? `[${address}]` : address}:${port}/`, arrivesAt: arrivalOf(address) },
    { url: `http://${nameOf(address)}:${port}/`, arrivesAt: arrivalOf(address) },
  ]),
  ...Object.entries(spellings).flatMap(([arrivesAt, urls]) => urls.map((url) => ({ url, arrivesAt }))),
  ...hostileNames,
]

const redirectTargets: Target[] = [
  { url: `http://127.0.0.1:${port}/`, arrivesAt: '127.0.0.1' },
  { url: 'http://169.254.169.254/latest/meta-data/', arrivesAt: '169.254.169.254' },
  { url: 'http://2852039166/', arrivesAt: '169.254.169.254' },
  { url: `//${privateV4}:${port}/`, arrivesAt: privateV4 },
  { url: `http://[::ffff:7f00:1]:${port}/`, arrivesAt: '127.0.0.1' },
  { url: `http://[${privateV6}]:${port}/`, arrivesAt: privateV6 },
  { url: `http://localhost:${port}/`, arrivesAt: '127.0.0.1' },
  { url: `http://inside.example:${port}/`, arrivesAt: privateV4 },
  // A public target shows that redirects are not followed at all, rather than refused once followed.
  { url: `http://${otherPublicV4}:${port}/`, arrivesAt: otherPublicV4 },
]
const redirectStatuses = [301, 302, 303, 307, 308]

const publicTargets: Target[] = [
  ...[`http://${publicV4}:${port}/`, `http://${publicV4}/`, 'http://1572395042/', `http://[::ffff:${publicV4}]/`],
  ...['http://public.example/', 'http://PUBLIC.example.:8080/'],
]
  .map((url): Target => ({ url, arrivesAt: publicV4 }))
  .concat(
    [`http://[${publicV6}]:${port}/`, `http://[${publicV6}]/`, 'http://public-6.example/'].map((url) => ({
      url,
      arrivesAt: publicV6,
    })),
    // The system returns IPv6 first, but the connection uses IPv4.
    { url: 'http://public-both.example/', arrivesAt: publicV4 },
  )

const network = '10.0.5.0/24'
const letInTargets: Target[] = [
  { url: `http://10.0.5.7:${port}/`, arrivesAt: '10.0.5.7' },
  { url: 'http://10.0.5.7/', arrivesAt: '10.0.5.7' },
  { url: `http://10.0.5.0:${port}/`, arrivesAt: '10.0.5.0' },
  { url: `http://10.0.5.255:${port}/`, arrivesAt: '10.0.5.255' },
  { url: `http://[::ffff:10.0.5.7]:${port}/`, arrivesAt: '10.0.5.7' },
  { url: `http://let-in.example:${port}/`, arrivesAt: '10.0.5.7' },
  { url: `http://${publicV4}:${port}/`, arrivesAt: publicV4 },
  ...[
    ...['10.0.6.7', '10.0.4.255', '10.0.6.0', '127.0.0.1', '169.254.169.254', '[::ffff:10.0.6.7]', '[::10.0.5.7]'],
    ...['[64:ff9b::10.0.5.7]', '[2002:a00:507::]', 'inside.example', 'half-let-in.example', 'let-in-96.example'],
  ].map((host) => ({ url: `http://${host}:${port}/`, arrivesAt: null })),
]

function nameOf(address: string): string {
  return `at-${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}.example`
}

/** As the kernel understands the address. It makes no connection to a group of hosts, or to a link without an interface. */
function arrivalOf(text: string): string | null {
  const address = ipaddr.process(text)
  const range = address.range()
  if (['multicast', 'broadcast'].includes(range) || (address.kind() === 'ipv6' && range === 'linkLocal')) return null
  if (/^(::|0\.0\.0\.0)$/.test(address.toString())) return address.kind() === 'ipv6' ? '::1' : '127.0.0.1'
  return address.toString()
}

if (import.meta.main) {
  setUpNetwork()
  await startNameServer()
  const arrivals = await startListeners()
  console.log(JSON.stringify(await visitAll(arrivals)))
  process.exit(0)
}

/** Makes every address local to this machine, and this program the name server. */
function setUpNetwork(): void {
  for (const kind of ['net', 'mnt'])
    if (readlinkSync(`/proc/self/ns/${kind}`) === readlinkSync(`/proc/${process.ppid}/ns/${kind}`))
      throw new Error(
        'This would cut off the network of the machine. Start it with: unshare --net --mount node hostile-targets.ts',
      )
  const run = (program: string, ...words: string[]): unknown => execFileSync(program, words)
  run('ip', 'link', 'set', 'lo', 'up')
  // The system looks up names of an address family only if it has such an address, and listens only at its own addresses.
  for (const address of [`${publicV4}/32`, `${publicV6}/128`, `${privateV4}/32`, `${privateV6}/128`])
    run('ip', 'address', 'add', address, 'dev', 'lo')
  run('ip', '-4', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo')
  run('ip', '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo')

  const files = {
    '/etc/hosts': hostsFile,
    '/etc/resolv.conf': [`nameserver ${nameServer}`, 'search corp.example', 'options timeout:1 attempts:1'],
    '/etc/nsswitch.conf': ['hosts: files dns'],
  }
  const folder = mkdtempSync(join(tmpdir(), 'scrip-hostile-'))
  for (const [file, lines] of Object.entries(files)) {
    const ours = join(folder, file.replaceAll('/', '-'))
    writeFileSync(ours, `${lines.join('\n')}\n`)
    run('mount', '--bind', ours, file)
  }
  // The mounts stay for as long as this process runs.
  rmSync(folder, { recursive: true })
}

/** Answers A and AAAA queries with a time to live of 0, so that no answer is cached. */
async function startNameServer(): Promise<void> {
  const queries = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, sender) => {
    const labels: string[] = []
    let at = 12
    for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const type = query.readUInt16BE(at + 1)
    const question = query.subarray(12, at + 5)

    const records: Buffer[] = []
    let name = labels.join('.').toLowerCase()
    for (let alias = aliases[name]; alias !== undefined; alias = aliases[name]) {
      records.push(encodeRecord(name, 5, encodeName(alias)))
      name = alias
    }
    const answers = names[name]
    const turn = queries.get(`${name} ${type}`) ?? 0
    queries.set(`${name} ${type}`, turn + 1)
    for (const address of answers?.[Math.min(turn, answers.length - 1)] ?? []) {
      const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
      if (type === (bytes.length === 4 ? 1 : 28)) records.push(encodeRecord(name, type, bytes))
    }

    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // An authoritative answer. Code 3 means that the name does not exist.
    header.writeUInt16BE(answers === undefined ? 0x8583 : 0x8580, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, question, ...records]), sender.port, sender.address)
  })
  await new Promise<void>((done) => socket.bind(53, nameServer, done))
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

function encodeRecord(name: string, type: number, data: Buffer): Buffer {
  // The type, the class of the internet, and a time to live of 0.
  const rest = Buffer.from([0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([encodeName(name), rest, data])
}

/** Returns the addresses at which connections have arrived. The reader empties the list. */
async function startListeners(): Promise<string[]> {
  const arrivals: string[] = []
  const respond = (request: IncomingMessage, reply: ServerResponse): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://listener')
    const status = Number(/^\/redirect\/(\d+)$/.exec(pathname)?.[1] ?? 200)
    // Each delivery opens a new connection, and so looks up the name again.
    reply.writeHead(status, { connection: 'close', location: searchParams.get('to') ?? '/' }).end('reached')
  }
  const hosts: [host: string, port: number][] = [80, 443, port].flatMap((each) => [
    ['0.0.0.0', each],
    ['::', each],
  ])
  hosts.push([privateV4, privatePort], [privateV6, privatePort])
  for (const [host, each] of hosts) {
    const server = createServer(respond)
    server.on('connection', ({ localAddress = '' }) => arrivals.push(toHex(localAddress)))
    await new Promise<void>((done) => server.listen({ host, port: each, ipv6Only: true }, done))
  }
  return arrivals
}

/** ::7f00:1 for ::127.0.0.1, which ipaddr.js would take for ::ffff:127.0.0.1. */
function toHex(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

async function visitAll(arrivals: string[]): Promise<Findings> {
  const guarded = createGuardedAgent([])
  const lettingIn = createGuardedAgent([ipaddr.parseCIDR(network)])
  const unguarded = new Agent({ connect: { timeout: 1_000 } })

  /** Runs one delivery at a time, so that every connection belongs to it. */
  async function watch(deliver: () => Promise<Omit<Visit, 'arrivals'>>): Promise<Visit> {
    const { statusCode, failure } = await deliver()
    // The kernel accepts connections before the listener learns about them.
    await sleep(5)
    return { statusCode, failure, arrivals: arrivals.splice(0) }
  }
  const visit = (agent: Agent, url: string) => watch(() => send(agent, url, { 'webhook-id': 'evt_1' }, '{"data":{}}'))
  const visitEach = async <T extends Target>(targets: T[], agent: Agent) => {
    const visited: (T & { guarded: Visit })[] = []
    for (const target of targets) visited.push({ ...target, guarded: await visit(agent, target.url) })
    return visited
  }

  const follower = unguarded.compose(interceptors.redirect({ maxRedirections: 3 }))
  const follow = (url: string) =>
    watch(async () => {
      const signal = AbortSignal.timeout(1_000)
      const { statusCode, body } = await request(url, { method: 'POST', dispatcher: follower, body: '{}', signal })
      await body.dump()
      return { statusCode, failure: '' }
    })

  const hostile: Findings['hostile'] = []
  for (const target of await visitEach(hostileTargets, guarded))
    hostile.push({ ...target, unguarded: await visit(unguarded, target.url) })

  const redirects: Findings['redirects'] = []
  for (const status of redirectStatuses)
    for (const { url: to, arrivesAt } of redirectTargets) {
      const url = `http://${publicV4}:${port}/redirect/${status}?to=${encodeURIComponent(to)}`
      redirects.push({ status, url, arrivesAt, guarded: await visit(guarded, url), unguarded: await follow(url) })
    }

  const orders: Findings['orders'] = {}
  for (const name of Object.keys(names).filter((each) => each.includes('-first')))
    orders[name] = (await lookup(name, { all: true })).map(({ address }) => address)

  const look = async (name: string) => (await lookup(name)).address
  const rebinding = {
    looks: [await look('rebinding-a.example'), await look('rebinding-b.example')],
    guardedAfterLook: await visit(guarded, `http://rebinding-a.example:${port}/`),
    unguardedAfterLook: await visit(unguarded, `http://rebinding-b.example:${port}/`),
    guardedFirst: await visit(guarded, `http://rebinding-c.example:${port}/`),
    guardedSecond: await visit(guarded, `http://rebinding-c.example:${port}/`),
  }

  const malformed: Findings['malformed'] = []
  for (const url of malformedUrls) malformed.push({ url, guarded: await visit(guarded, url) })
  const found = {
    ...{ hostile, redirects, malformed, orders, rebinding },
    public: await visitEach(publicTargets, guarded),
    letIn: await visitEach(letInTargets, lettingIn),
  }
  // Longer than a client waits before it tries the next address of a name.
  await sleep(500)
  return { ...found, late: arrivals }
}
