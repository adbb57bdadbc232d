/** A counter by name, and how many slots of it may be taken at once. */
export type Cap = { readonly name: string; readonly max: number }

export type Caps = {
  readonly hasRoom: (caps: readonly Cap[]) => boolean
  /** Takes a slot of every cap and returns a function that releases them, or undefined if one of the caps is full. */
  readonly take: (caps: readonly Cap[]) => (() => void) | undefined
}

/** Limits concurrency within this process. A caller refused by one cap takes no slot of the others. */
export function createCaps(): Caps {
  const counts = new Map<string, number>()

  const hasRoom = (caps: readonly Cap[]): boolean => caps.every(({ name, max }) => (counts.get(name) ?? 0) < max)

  const release = (name: string): void => {
    const left = (counts.get(name) ?? 1) - 1
    if (left === 0) counts.delete(name)
    else counts.set(name, left)
  }

  const take = (caps: readonly Cap[]): (() => void) | undefined => {
    if (!hasRoom(caps)) return undefined
    for (const { name } of caps) counts.set(name, (counts.get(name) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      for (const { name } of caps) release(name)
    }
  }

  return { hasRoom, take }
}
