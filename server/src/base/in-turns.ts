import { setImmediate as nextTurn } from 'node:timers/promises'

const atOnce = 100

/** Like `map`, but yields to the event loop after every 100 items, so that a long list does not delay requests. */
export async function mapInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const done: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atOnce === 0) await nextTurn()
    done.push(work(item))
  }
  return done
}
