import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Findings, Visit } from '../../../local/test/hostile-targets.ts'
import { isAllowedAddress } from './guarded-agent.ts'

const refused: Visit = { statusCode: null, failure: 'the address is inside a private network', arrivals: [] }
const reachedAt = (address: string | null): Visit => ({
  statusCode: 200,
  failure: '',
  arrivals: address === null ? [] : [address],
})
const publicAddress = '93.184.216.34'
const privateAddress = '10.0.6.7'

const canIsolate = spawnSync('unshare', ['--net', '--mount', 'ip', 'link']).status === 0
// In CI the proof must run: there it fails instead of being skipped.
const isRequired = (process.env.CI ?? '') !== ''

async function visitHostileTargets(): Promise<Findings> {
  const script = join(import.meta.dirname, '../../../local/test/hostile-targets.ts')
  const run = promisify(execFile)('unshare', ['--net', '--mount', process.execPath, script], {
    maxBuffer: 16 * 1024 * 1024,
    timeout: 45_000,
  })
  const { stdout } = await run.catch((error: unknown) => {
    const needs = 'CAP_NET_ADMIN and CAP_SYS_ADMIN, IPv6, and the packages util-linux, mount and iproute2'
    throw new Error(`The isolated network for webhooks could not be created. It needs ${needs}.`, { cause: error })
  })
  return JSON.parse(stdout) as Findings
}

describe.skipIf(!canIsolate && !isRequired)('in a network that routes every address to one listener', () => {
  let found: Findings

  beforeAll(async () => {
    found = await visitHostileTargets()
  })

  test('no webhook connects to a non-public address, in any notation or by name', () => {
    const reached = found.hostile.filter(({ guarded }) => guarded.arrivals.length > 0)
    expect(reached.map(({ url, guarded }) => `${url} arrived at ${guarded.arrivals.join()}`)).toEqual([])
    const otherwise = found.hostile.filter(({ guarded }) => guarded.failure !== refused.failure)
    // Names from this machine's hosts file are unknown to the name server.
    expect(otherwise.map(({ url, guarded }) => `${new URL(url).hostname}: ${guarded.failure}`).sort()).toEqual(
      ['ip6-localhost', 'loghost.example', 'wiki', 'written.example'].map(
        (name) => `${name}: the host name was not found`,
      ),
    )
    expect(found.late).toEqual([])
  })

  test('without the guard the same webhooks connect to their targets', () => {
    const wrong = found.hostile.filter(({ arrivesAt, unguarded }) => unguarded.arrivals.join() !== (arrivesAt ?? ''))
    expect(wrong.map(({ url, unguarded }) => `${url} arrived at ${unguarded.arrivals.join()}`)).toEqual([])
    // The kernel does not connect to multicast, broadcast and unscoped link-local addresses: 7 addresses, each with a name.
    expect(found.hostile.filter(({ arrivesAt }) => arrivesAt === null)).toHaveLength(14)
    expect(found.hostile.filter(({ unguarded }) => unguarded.arrivals.length > 0).length).toBeGreaterThanOrEqual(200)
  })

  test('refuses a name that resolves to a private address among public ones, in any order', () => {
    const firsts = Object.fromEntries(Object.entries(found.orders).map(([name, [first]]) => [name, first]))
    // Confirms that the resolver returned both orders and both families.
    expect(firsts).toEqual({
      'public-first.example': publicAddress,
      'private-first.example': privateAddress,
      'public-first-6.example': '2606:2800:220:1::1',
      'private-first-6.example': 'fd00::6:7',
    })
    const visited = found.hostile.filter(({ url }) => Object.keys(firsts).some((name) => url.includes(`//${name}`)))
    expect(visited.map(({ guarded }) => guarded)).toEqual(Array(4).fill(refused))
  })

  test('refuses a name that resolves to a private address only on connecting', () => {
    expect(found.rebinding.looks).toEqual([publicAddress, publicAddress])
    expect(found.rebinding.unguardedAfterLook).toEqual(reachedAt(privateAddress))
    expect(found.rebinding.guardedAfterLook).toEqual(refused)
  })

  test('resolves a name once per connection, and connects to the checked address', () => {
    expect(found.rebinding.guardedFirst).toEqual(reachedAt(publicAddress))
    expect(found.rebinding.guardedSecond).toEqual(refused)
  })

  test('follows no redirect, not even to a public address', () => {
    expect(found.redirects).toHaveLength(45)
    for (const { url, status, arrivesAt, guarded, unguarded } of found.redirects) {
      expect(guarded, url).toEqual({ statusCode: status, failure: '', arrivals: [publicAddress] })
      expect(unguarded.arrivals, url).toEqual([publicAddress, arrivesAt])
    }
  })

  test('sends nothing to URLs that are not http or https', () => {
    expect(found.malformed).toHaveLength(16)
    for (const { url, guarded } of found.malformed)
      expect(guarded, url).toEqual({ ...refused, failure: 'the request could not be sent' })
  })

  test('reaches public addresses, by IP and by name', () => {
    expect(found.public).toHaveLength(10)
    for (const { url, arrivesAt, guarded } of found.public) expect(guarded, url).toEqual(reachedAt(arrivesAt))
  })

  test('reaches a network that the operator allows, and no other private address', () => {
    expect(found.letIn.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['http://10.0.5.7:8080/', 'http://10.0.6.7:8080/']),
    )
    for (const { url, arrivesAt, guarded } of found.letIn)
      expect(guarded, url).toEqual(arrivesAt === null ? refused : reachedAt(arrivesAt))
  })
})

describe('isAllowedAddress', () => {
  // The first and last address of each non-public range.
  const closed = [
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0'],
    ...['127.0.0.1', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0'],
    ...['172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.88.99.0', '192.168.0.0'],
    ...['192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255', '203.0.113.0'],
    ...['203.0.113.255', '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
    ...['::', '::1', '::2', '::127.0.0.1', '::93.184.216.34', '::7f00:1', '::5db8:d822', '::ffff:0.0.0.0'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:1', '::FFFF:169.254.169.254', '::ffff:a9fe:a9fe'],
    ...['::ffff:10.0.0.1', '::ffff:0:5db8:d822', '64:ff9b::7f00:1', '64:ff9b::5db8:d822', '64:ff9b:1::1', '100::1'],
    ...['2001::', '2001:0:7f00:1::1', '2001:1ff:ffff::1', '2001:db8::', '2001:db8:ffff::1', '2002::', '2002:7f00:1::'],
    ...['1fff:ffff::1', '2002:5db8:d822::1', '3fff::', '3fff:fff:ffff::1', '4000::', '5f00::1', '8000::1', 'fc00::'],
    ...['fd00:ec2::254', 'fdff:ffff::1', 'fe00::1', 'fe80::', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'feff::1'],
    ...['ff02::1', 'ff0e::1', 'ffff::1'],
    // Cloud metadata services, and ranges used only by relays or measurements.
    ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', '192.0.0.192', '192.88.99.1', '2620:4f:8000::1'],
  ]
  // The neighbours of those ranges, and some well-known addresses.
  const open = [
    ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34', '100.63.255.255', '100.128.0.0'],
    ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
    ...['2000::1', '2001:200::1', '2001:4860:4860::8888', '2001:db7::1', '2001:db9::1', '2003::1'],
    ...[
      '2606:2800:220:1::1',
      '2a00:1450:4001::1',
      '3ffe:ffff::1',
      '3fff:1000::1',
      '::ffff:93.184.216.34',
      '::ffff:808:808',
    ],
  ]

  test('refuses non-public addresses', () => {
    expect(closed.filter((address) => isAllowedAddress(address, []))).toEqual([])
  })

  test('allows public addresses', () => {
    expect(open.filter((address) => !isAllowedAddress(address, []))).toEqual([])
  })

  test('an allowed network allows its own addresses and no others', () => {
    const networks = [ipaddr.parseCIDR('10.0.5.0/24'), ipaddr.parseCIDR('fd00:5::/64')]
    const inside = ['10.0.5.0', '10.0.5.7', '10.0.5.255', '::ffff:10.0.5.7', '::ffff:a00:507', 'fd00:5::', 'fd00:5::7']
    const beside = [
      ...['10.0.4.255', '10.0.6.0', '10.0.6.7', '::ffff:10.0.6.7', 'fd00:4::1', 'fd00:5:0:1::1', 'fd00:6::1'],
      ...['::a00:507', '::10.0.5.7', '64:ff9b::a00:507', '2002:a00:507::'],
    ]
    expect(inside.filter((address) => !isAllowedAddress(address, networks))).toEqual([])
    expect([...beside, ...closed].filter((address) => isAllowedAddress(address, networks))).toEqual([])
    expect(open.filter((address) => !isAllowedAddress(address, networks))).toEqual([])
  })
})
