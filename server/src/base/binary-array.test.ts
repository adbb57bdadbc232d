import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { binaryArray, type BinaryType, type BinaryValue } from './binary-array.ts'
import { connect, type Connection } from './db.ts'

let client: Connection
beforeAll(async () => {
  client = await connect((await createTestDatabase()).url)
})
afterAll(() => client.end())

/** The elements as PostgreSQL writes them. */
async function read(type: BinaryType, values: readonly BinaryValue[]): Promise<(string | null)[]> {
  const { rows } = await client.query<{ element: string | null }>(
    `select element::text from unnest($1::${type}[]) with ordinality as e (element, place) order by place`,
    [binaryArray(type, values)],
  )
  return rows.map(({ element }) => element)
}

const id = '01a1ed6b-8921-7000-a981-43179ba47359'
const amounts = [0n, 1n, 9_999n, 10_000n, 10_001n, 100_000_000n, -42n, -10_000n, 10n ** 38n, 123_456_789_012_345_678n]

test.each<[BinaryType, BinaryValue[], (string | null)[]]>([
  ['uuid', [id, id.replaceAll('-', ''), null], [id, id, null]],
  ['text', ['', 'a, "b" {c} \\ NULL', 'Zoë €', null, 'NULL'], ['', 'a, "b" {c} \\ NULL', 'Zoë €', null, 'NULL']],
  ['json', ['{"a": 1}', null], ['{"a": 1}', null]],
  ['smallint', [0, -1, 32_767, null], ['0', '-1', '32767', null]],
  ['bigint', [1, -1n, 2n ** 63n - 1n, null], ['1', '-1', '9223372036854775807', null]],
  ['numeric', [...amounts, null], [...amounts.map(String), null]],
  ['boolean', [true, false, null], ['true', 'false', null]],
  ['bytea', [Buffer.from('00ff', 'hex'), Buffer.alloc(0), null], ['\\x00ff', '\\x', null]],
])('PostgreSQL reads an array of %s as it was sent', async (type, sent, expected) => {
  expect(await read(type, sent)).toEqual(expected)
})

test('times keep their milliseconds, before 2000 too', async () => {
  await client.query(`set time zone 'UTC'`)
  const times = [new Date('2026-11-18T06:00:00.123Z'), new Date('1969-12-31T23:59:59.999Z'), null]
  expect(await read('timestamptz', times)).toEqual(['2026-11-18 06:00:00.123+00', '1969-12-31 23:59:59.999+00', null])
})

test('amounts of any size are read as they were sent', async () => {
  const random = Array.from({ length: 500 }, (_, i) => BigInt(i) ** 9n * 1_000_003n - BigInt(i) * 7n)
  expect(await read('numeric', random)).toEqual(random.map(String))
})

test('what is not a uuid, or an amount that is not whole, is refused before it is sent', () => {
  expect(() => binaryArray('uuid', ['not one'])).toThrow(TypeError)
  expect(() => binaryArray('uuid', [`${id}00`])).toThrow(TypeError)
  expect(() => binaryArray('numeric', [1.5])).toThrow(TypeError)
})
