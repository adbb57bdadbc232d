import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'
import { eventError } from './errors.ts'

/** Addresses that the operator lets webhooks go to although they are not public, such as a shop's own network. */
export type Networks = readonly (readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number])[]

const connectTimeoutMs = 10_000
const keepAliveMs = 10_000

// What the world can route to over IPv6. Everything else is local, reserved, or an IPv4 address in disguise.
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether the operator let this address in. */
export function isLetIn(text: string, networks: Networks): boolean {
  const address = ipaddr.process(text)
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

/** Whether a webhook may connect to this address: public, or in a network that was let in. */
export function isAllowedAddress(text: string, networks: Networks): boolean {
  // The system writes ::a00:1 as ::10.0.0.1, which ipaddr.js takes for ::ffff:10.0.0.1. Nothing public is written so.
  if (/^::\d+\./.test(text)) return false
  // Reads ::ffff:10.0.0.1 as what it connects to, 10.0.0.1.
  const address = ipaddr.process(text)
  if (isLetIn(text, networks)) return true
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(...globalIpv6)
}

/**
 * Connects to allowed addresses only. It is asked at the moment of connecting, for the address that is connected to: a name may have
 * another one by then than when it was first looked at. Names and literals are asked apart, since a literal is never looked up.
 */
export function createGuardedAgent(networks: Networks): Agent {
  // Not dns.lookup: it waits in one of two threads that the whole process has for it, so one silent name server would stop everybody.
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
  // No name server is asked for it: it is this machine by its name.
  if (/^(.+\.)?localhost\.?$/i.test(name)) return [{ address: '127.0.0.1', family: 4 }]
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer, i) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
  )
}
