import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { eventError } from './errors.ts'

/** Networks that the operator allows webhooks to reach although they are not public, such as a shop's own network. */
export type Networks = readonly (readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number])[]

const connectTimeoutMs = 10_000
const keepAliveMs = 10_000

// The globally routed part of IPv6. Everything else is local, reserved, or an embedded IPv4 address.
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

// Public addresses that the host of a cloud machine answers: metadata, credentials, name service.
const cloudAddresses = ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'].map((text) =>
  ipaddr.parseCIDR(text),
)
// Not routed, although ipaddr.js treats them as public: benchmarks, 6to4 relays, AS112, documentation, segment routing.
const unroutable = [
  '192.88.99.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.175.48.0/24',
  '2001::/23',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
].map((text) => ipaddr.parseCIDR(text))

/** Whether the operator allows this address. */
export function isLetIn(text: string, networks: Networks): boolean {
  const address = ipaddr.process(text)
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

/** Whether webhooks may connect to this address: public, or in an allowed network. */
export function isAllowedAddress(text: string, networks: Networks): boolean {
  // The system writes ::a00:1 as ::10.0.0.1, which ipaddr.js reads as ::ffff:10.0.0.1. No public address is written like this.
  if (/^::\d+\./.test(text)) return false
  // Reads ::ffff:10.0.0.1 as 10.0.0.1, the address that it connects to.
  const address = ipaddr.process(text)
  if (isLetIn(text, networks)) return true
  const isIn = ([network, bits]: Networks[number]): boolean =>
    network.kind() === address.kind() && address.match(network, bits)
  if (address.range() !== 'unicast' || cloudAddresses.some(isIn) || unroutable.some(isIn)) return false
  return address instanceof ipaddr.IPv4 || address.match(...globalIpv6)
}

/**
 * Connects to allowed addresses only. The check happens on connecting, for the resolved address, because a name may resolve differently
 * later. Names and IP literals are checked separately, because literals are never resolved.
 */
export function createGuardedAgent(networks: Networks): Agent {
  // Not dns.lookup: it blocks threads that the whole process shares, so one silent name server would stop everything.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const lookup: LookupFunction = (name, options, done) => {
    void resolve(resolver, name).then((found) => {
      if (found.length === 0) done(Object.assign(new Error('The name was not found.'), { code: 'ENOTFOUND' }), [])
      else if (found.some(({ address }) => !isAllowedAddress(address, networks)))
        done(eventError('WEBHOOK_TARGET_PRIVATE'), [])
      else if (options.all === true) done(null, found)
      else done(null, found[0]?.address ?? '', found[0]?.family)
    })
  }
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup })
  return new Agent({
    keepAliveTimeout: keepAliveMs,
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[(.*)\]$/, '$1')
      if (isIP(host) !== 0 && !isAllowedAddress(host, networks)) done(eventError('WEBHOOK_TARGET_PRIVATE'), null)
      else connect(options, done)
    },
  })
}

async function resolve(resolver: Resolver, name: string): Promise<{ address: string; family: number }[]> {
  // localhost is this machine; no name server is queried for it.
  if (/^(.+\.)?localhost\.?$/i.test(name)) return [{ address: '127.0.0.1', family: 4 }]
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return results.flatMap((result, i) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
  )
}
