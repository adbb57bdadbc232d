import { describe, expect, test } from 'vitest'
import { createPayOnce, type PayOnce, type Stage } from './pay-once.ts'
import type { Answer } from './send-request.ts'

type Sale = { readonly id: string }

const sold: Answer<Sale> = { data: { id: 'sale' } }
const refused = (code: string): Answer<Sale> => ({ refusal: { code, message: '' } })
const lost = refused('UNREACHABLE')

type Till = {
  readonly payOnce: PayOnce
  readonly waits: number[]
  /** 'held' and 'released', in order. */
  readonly holds: string[]
}

function openTill(): Till {
  let keys = 0
  const waits: number[] = []
  const holds: string[] = []
  const payOnce = createPayOnce({
    newKey: () => `key-${++keys}`,
    wait: (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
    hold: () => {
      holds.push('held')
      return () => void holds.push('released')
    },
  })
  return { payOnce, waits, holds }
}

/** A server that gives these answers one after the other, and notes the keys that it was sent. */
function serverWith(...answers: readonly Answer<Sale>[]) {
  const keys: string[] = []
  const perform = (key: string): Promise<Answer<Sale>> => {
    keys.push(key)
    const answer = answers[keys.length - 1]
    if (answer === undefined) throw new Error('The request was sent more often than expected.')
    return Promise.resolve(answer)
  }
  return { keys, perform }
}

async function pay({ payOnce }: Till, perform: (key: string) => Promise<Answer<Sale>>) {
  const stages: Stage[] = []
  const answer = await payOnce(perform, (stage) => stages.push(stage))
  return { answer, stages }
}

describe('a request that moves money', () => {
  test('is sent once, and the next one has another key', async () => {
    const till = openTill()
    const server = serverWith(sold, sold)
    expect(await pay(till, server.perform)).toEqual({ answer: sold, stages: ['sending'] })
    await pay(till, server.perform)
    expect(server.keys).toEqual(['key-1', 'key-2'])
  })

  test('is not sent again by a second press while the first is under way', async () => {
    const till = openTill()
    let respond: (answer: Answer<Sale>) => void = () => undefined
    let sent = 0
    const perform = (): Promise<Answer<Sale>> => {
      sent++
      return new Promise((resolve) => {
        respond = resolve
      })
    }
    const first = pay(till, perform)
    expect(await pay(till, perform)).toEqual({ answer: undefined, stages: [] })
    respond(sold)
    expect((await first).answer).toEqual(sold)
    expect(sent).toBe(1)
  })

  test('is repeated with the same key when its response is lost, until the server responds', async () => {
    const till = openTill()
    const server = serverWith(lost, lost, sold, sold)
    expect(await pay(till, server.perform)).toEqual({ answer: sold, stages: ['sending', 'checking', 'checking'] })
    expect(server.keys).toEqual(['key-1', 'key-1', 'key-1'])
    expect(till.waits).toEqual([2_000, 2_000])
    await pay(till, server.perform)
    expect(server.keys.at(-1)).toBe('key-2')
  })

  test.each(['RATE_LIMITED', 'SESSION_MISSING', 'ROLE_FORBIDDEN', 'VOUCHER_GUESSING'])(
    'is checked further after a lost response if the server only says %s',
    async (code) => {
      const server = serverWith(lost, refused(code), sold)
      const till = openTill()
      expect((await pay(till, server.perform)).answer).toEqual(sold)
      expect(new Set(server.keys)).toEqual(new Set(['key-1']))
    },
  )

  test.each(['RATE_LIMITED', 'SESSION_MISSING', 'INSUFFICIENT_BALANCE'])(
    'ends with the refusal %s if no response was lost: the server has not acted',
    async (code) => {
      const till = openTill()
      const server = serverWith(refused(code), sold)
      expect((await pay(till, server.perform)).answer).toEqual(refused(code))
      expect(till.waits).toEqual([])
      expect((await pay(till, server.perform)).answer).toEqual(sold)
      expect(server.keys).toEqual(['key-1', 'key-2'])
    },
  )

  test('ends with a refusal that tells the outcome of the lost request', async () => {
    const server = serverWith(lost, refused('INSUFFICIENT_BALANCE'))
    expect((await pay(openTill(), server.perform)).answer).toEqual(refused('INSUFFICIENT_BALANCE'))
  })

  test('keeps the user on the page until the outcome is known', async () => {
    const till = openTill()
    const held: string[][] = []
    const server = serverWith(lost, sold)
    await pay(till, (key) => {
      held.push([...till.holds])
      return server.perform(key)
    })
    expect(held).toEqual([['held'], ['held']])
    expect(till.holds).toEqual(['held', 'released'])
  })

  test('keeps its key if the page itself fails, because the server may have acted', async () => {
    const till = openTill()
    const keys: string[] = []
    const failing = (key: string): Promise<Answer<Sale>> => {
      keys.push(key)
      return Promise.reject(new Error('a fault of the page'))
    }
    await expect(pay(till, failing)).rejects.toThrow('a fault of the page')
    const server = serverWith(sold)
    await pay(till, server.perform)
    expect([...keys, ...server.keys]).toEqual(['key-1', 'key-1'])
    expect(till.holds).toEqual(['held', 'released', 'held', 'released'])
  })
})
