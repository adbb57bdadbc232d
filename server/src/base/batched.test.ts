import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { batched, cachedFor } from './batched.ts'
import { createManualClock } from './clock.ts'

describe('batched', () => {
  test('calls made in one turn, or while a read runs, share one read and resolve in order', async () => {
    const reads: number[][] = []
    const gates: (() => void)[] = []
    const read = batched(async (inputs: readonly number[]) => {
      reads.push([...inputs])
      await new Promise<void>((resolve) => gates.push(resolve))
      return inputs.map((input) => input * 10)
    })
    const first = [read(1), read(2)]
    await nextTurn()
    const second = [read(3), read(4), read(5)]
    await nextTurn()
    expect(reads).toEqual([[1, 2]])
    gates[0]?.()
    expect(await Promise.all(first)).toEqual([10, 20])
    await nextTurn()
    gates[1]?.()
    expect(await Promise.all(second)).toEqual([30, 40, 50])
    expect(reads).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
  })

  test('no batch exceeds sizeMax', async () => {
    const sizes: number[] = []
    const read = batched(
      (inputs: readonly number[]) => {
        sizes.push(inputs.length)
        return Promise.resolve(inputs)
      },
      { sizeMax: 4 },
    )
    await Promise.all(Array.from({ length: 10 }, (_, i) => read(i)))
    expect(sizes).toEqual([4, 4, 2])
  })

  test('a failed read rejects the calls of its batch and no later ones', async () => {
    let fails = true
    const read = batched((inputs: readonly number[]) =>
      fails ? Promise.reject(new Error('away')) : Promise.resolve(inputs),
    )
    expect((await Promise.allSettled([read(1), read(2)])).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await read(3)).toBe(3)
  })
})

test('a cached value is read again once it expires, and immediately after a failure', async () => {
  const clock = createManualClock(new Date(0))
  let reads = 0
  const read = cachedFor(1_000, clock, () =>
    ++reads === 3 ? Promise.reject(new Error('away')) : Promise.resolve(reads),
  )
  expect([await read(), await read()]).toEqual([1, 1])
  clock.advance(1_000)
  expect(await read()).toBe(2)
  clock.advance(1_000)
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe(4)
})
