import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { files, read, root } from './repository.ts'

// A folder imports only from lower tiers, never from its neighbours on the same tier.
const tiers = [
  ['base'],
  ['http', 'ledger', 'chain', 'print'],
  ['currency', 'mail'],
  ['user'],
  ['merchant', 'customer'],
  ['event', 'exchange'],
  ['charge'],
  ['transaction'],
  ['wallet', 'push', 'outflow'],
  ['voucher', 'payment', 'deposit', 'payout'],
  ['batch', 'holder', 'voucher-lifecycle', 'refund', 'invoice', 'checkout', 'onchain'],
  ['dashboard', 'reference'],
]
const app = tiers.length

function tierOf(folder: string): number {
  if (folder === '') return app
  const tier = tiers.findIndex((names) => names.includes(folder))
  if (tier < 0) throw new Error(`server/src/${folder} has no tier: add it to the table in layout.test.ts`)
  return tier
}

function folderOf(file: string): string {
  const [first = '', ...rest] = relative(join(root, 'server/src'), file).split('/')
  return rest.length === 0 ? '' : first
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, path = '']) => path)
}

function tierFaults(file: string, text: string): string[] {
  return importsOf(text).flatMap((path) => {
    const target = resolve(dirname(file), path)
    const [from, to] = [folderOf(file), folderOf(target)]
    if (from === to || tierOf(to) < tierOf(from)) return []
    return [
      `${relative(root, file)} imports ${relative(root, target)}: ${from || 'app'} may not import from ${to || 'app'}`,
    ]
  })
}

/** The packages other than typebox that a file imports, itself or through others; also for types, which the type check follows. */
function packagesBehind(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  const packages = [...text.matchAll(/\bfrom\s*'([^.'][^']*)'/g)].map(([, name = '']) => name)
  return [
    ...packages.filter((name) => name !== 'typebox').map((name) => `${relative(root, file)}: ${name}`),
    ...importsOf(text).flatMap((path) => packagesBehind(resolve(dirname(file), path), seen)),
  ]
}

describe('layout', () => {
  test('a server folder imports only from lower tiers', () => {
    const faults = files
      .filter((file) => file.startsWith('server/src/') && file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => tierFaults(join(root, file), read(file)))
    expect(faults).toEqual([])
  })

  test('an import from a higher or from the same tier is found', () => {
    const at = (file: string) => join(root, 'server/src', file)
    expect(tierFaults(at('ledger/post.ts'), `import { x } from '../voucher/redeem.ts'`)).toHaveLength(1)
    expect(tierFaults(at('voucher/redeem.ts'), `import { x } from '../payout/pay.ts'`)).toHaveLength(1)
    expect(tierFaults(at('ledger/post.ts'), `const x = await import('../config.ts')`)).toHaveLength(1)
    expect(tierFaults(at('voucher/redeem.ts'), `import { x } from '../ledger/post.ts'`)).toHaveLength(0)
  })

  test('the pages share schemas and pure functions with the server, and nothing that needs Node', () => {
    const shared = files
      .filter((file) => /^web\/\w+\/.*\.tsx?$/.test(file))
      .flatMap((file) => importsOf(read(file)).map((path) => resolve(root, dirname(file), path)))
      .filter((file) => file.startsWith(join(root, 'server')))
    const schemas = files.filter((file) => /^server\/src\/.*\bwire\.ts$/.test(file) && !file.endsWith('to-wire.ts'))
    const all = [...shared, ...schemas.map((file) => join(root, file))]
    expect(all.flatMap((file) => packagesBehind(file))).toEqual([])
    // A page of the dashboard shows what this file of the server declares.
    expect(shared).toContain(join(root, 'server/src/dashboard/wire.ts'))
    expect(packagesBehind(join(root, 'server/src/dashboard/to-wire.ts'))).not.toEqual([])
  })

  test('no SQL reads the database clock: time is a parameter', () => {
    const clock = /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\bcurrent_(timestamp|date)\b/i
    const faults = files
      .filter((file) => /^server\/(src|migrations|sql)\/.*\.(ts|sql)$/.test(file))
      .filter((file) => {
        const statements = file.endsWith('.sql') ? [read(file)] : (read(file).match(/`[^`]*`/g) ?? [])
        return statements.some((text) => clock.test(text.replaceAll(/--.*$/gm, '')))
      })
    expect(faults).toEqual([])
  })

  test('file names are kebab-case and specific', () => {
    const names = files
      .filter((file) => /^(server|bench|e2e|tools)\/.*\.ts$/.test(file))
      .map((f) => f.split('/').at(-1) ?? '')
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|gen|config))?\.ts$/.test(name))).toEqual([])
    expect(names.filter((name) => /^(utils?|helpers?|manager|common|index|misc)\.ts$/.test(name))).toEqual([])
  })

  test('no file refers to a path outside the repository', () => {
    const outside = ['..', 'shared'].join('/')
    expect(files.filter((file) => !/\.(png|svg|ico|woff2)$/.test(file) && read(file).includes(outside))).toEqual([])
  })

  test('commit subjects are conventional', () => {
    const subjects = execFileSync('git', ['log', '--all', '--no-merges', '--format=%s'], { cwd: root })
      .toString()
      .trim()
      .split('\n')
    const form = /^(feat|fix|perf|refactor|test|docs|build|ci|chore|revert)(\([a-z0-9-]+\))?!?: \S.{0,90}$/
    expect(subjects.filter((subject) => subject !== '' && !form.test(subject))).toEqual([])
  })
})
