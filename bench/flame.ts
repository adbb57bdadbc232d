// A flame graph as SVG, from a profile of Node (--cpu-prof).
import { readFileSync } from 'node:fs'

type ProfileNode = {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}
type RawProfile = {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** A function with the time of itself and of what it called. */
export type Frame = { readonly name: string; us: number; ownUs: number; readonly callees: Map<string, Frame> }

/** The busy time of a process after its first seconds, in which it compiles. */
export function readProfile(path: string, skipSeconds: number): Frame {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8')) as RawProfile
  const pathOf = stacksOf(nodes)
  const root: Frame = { name: 'all', us: 0, ownUs: 0, callees: new Map() }
  let atUs = 0
  for (const [i, id] of samples.entries()) {
    const us = timeDeltas[i] ?? 0
    atUs += us
    const stack = pathOf.get(id) ?? []
    if (atUs > skipSeconds * 1e6 && stack.at(-1) !== '(idle)') add(root, stack, us)
  }
  return root
}

/** The names from the outermost function to each node. */
function stacksOf(nodes: readonly ProfileNode[]): Map<number, readonly string[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const stacks = new Map<number, readonly string[]>()
  const walk = (node: ProfileNode, above: readonly string[]): void => {
    const name = nameOf(node)
    const stack = name === '(root)' ? [] : [...above, name]
    stacks.set(node.id, stack)
    for (const child of node.children ?? []) {
      const next = byId.get(child)
      if (next !== undefined) walk(next, stack)
    }
  }
  if (nodes[0] !== undefined) walk(nodes[0], [])
  return stacks
}

/** The function and the file of ours, or the package, that it is in. */
function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const name = functionName || 'function'
  const place =
    /\/server\/src\/(.+)$/.exec(url)?.[1] ??
    /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ??
    /^node:.+$/.exec(url)?.[0]
  return place === undefined ? name : `${name} · ${place}`
}

function add(root: Frame, stack: readonly string[], us: number): void {
  let frame = root
  frame.us += us
  for (const name of stack) {
    const callee = frame.callees.get(name) ?? { name, us: 0, ownUs: 0, callees: new Map() }
    frame.callees.set(name, callee)
    callee.us += us
    frame = callee
  }
  frame.ownUs += us
}

/** The share of each file of ours and of each package, with the time of Node's own functions that they called. */
export function sharesByPlace(root: Frame): [place: string, share: number][] {
  const shares = new Map<string, number>()
  const walk = (frame: Frame, caller: string): void => {
    const [, place] = frame.name.split(' · ')
    const here = place === undefined || (place.startsWith('node:') && caller !== 'Node') ? caller : place
    const owner = here.startsWith('node:') ? 'Node' : here
    const counted = frame.name === '(garbage collector)' ? 'garbage collection' : owner
    shares.set(counted, (shares.get(counted) ?? 0) + frame.ownUs / root.us)
    for (const callee of frame.callees.values()) walk(callee, owner)
  }
  walk(root, 'Node')
  return [...shares].sort(([, a], [, b]) => b - a)
}

const width = 1_200
const rowHeight = 17
const depthMax = 26
const narrowest = 0.6

export function flameGraph(title: string, root: Frame): string {
  const boxes: string[] = []
  let deepest = 0
  const draw = (frame: Frame, x: number, depth: number): void => {
    const length = (frame.us / root.us) * width
    if (length < narrowest || depth > depthMax) return
    deepest = Math.max(deepest, depth)
    boxes.push(boxOf(frame, frame.us / root.us, x, depth))
    let at = x
    for (const callee of [...frame.callees.values()].sort((a, b) => b.us - a.us)) {
      draw(callee, at, depth + 1)
      at += (callee.us / root.us) * width
    }
  }
  draw(root, 0, 0)
  const height = 44 + (deepest + 1) * rowHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="#1c1917" role="img" aria-label="${title}">
<rect width="${width}" height="${height}" fill="#fafaf7"/>
<text x="8" y="24" font-size="15" font-weight="600">${title}</text>
${boxes.join('\n')}
</svg>
`
}

function boxOf({ name }: Frame, share: number, x: number, depth: number): string {
  const [y, length] = [36 + depth * rowHeight, share * width]
  const shown = name
    .slice(0, Math.floor(length / 6))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
  const label = length > 30 ? `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${shown}</text>` : ''
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(name)}"/>${label}`
}

/** Our own code is green, packages are sand, Node is grey. */
function colourOf(name: string): string {
  const [, place] = name.split(' · ')
  if (place === undefined || place.startsWith('node:')) return '#d6d3d1'
  return place.endsWith('.ts') ? '#a7d7b5' : '#ead9b0'
}
