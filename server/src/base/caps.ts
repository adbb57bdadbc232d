/** Something that is counted while it lasts, and how many of it there may be at once. */
export type Cap = { readonly name: string; readonly max: number }

/** Counts what goes on in this process. Whoever would exceed any of the caps is refused, and counts towards none. */
export function createCaps() {
  const counts = new Map<string, number>()

  return {
    /** Returns what gives the places back, once, or nothing if there is no room. */
    take: (caps: readonly Cap[]): (() => void) | undefined => {
      if (caps.some(({ name, max }) => (counts.get(name) ?? 0) >= max)) return undefined
      for (const { name } of caps) counts.set(name, (counts.get(name) ?? 0) + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        for (const { name } of caps) {
          const left = (counts.get(name) ?? 1) - 1
          if (left === 0) counts.delete(name)
          else counts.set(name, left)
        }
      }
    },
  }
}
