import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

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
  ['batch', 'holder', 'aftercare', 'refund', 'invoice', 'checkout'],
  ['dashboard'],
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
    return [`${relative(root, file)} imports ${relative(root, target)}: ${from || 'app'} may not know ${to || 'app'}`]
  })
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

describe('layout', () => {
  test('a server folder imports only from lower tiers', () => {
    const faults = files
      .filter((file) => file.startsWith('server/src/') && file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => tierFaults(join(root, file), read(file)))
    expect(faults).toEqual([])
  })

  test('an import of a higher tier or of a neighbour is caught', () => {
    const at = (file: string) => join(root, 'server/src', file)
    expect(tierFaults(at('ledger/post.ts'), `import { x } from '../voucher/redeem.ts'`)).toHaveLength(1)
    expect(tierFaults(at('voucher/redeem.ts'), `import { x } from '../payout/pay.ts'`)).toHaveLength(1)
    expect(tierFaults(at('ledger/post.ts'), `const x = await import('../config.ts')`)).toHaveLength(1)
    expect(tierFaults(at('voucher/redeem.ts'), `import { x } from '../ledger/post.ts'`)).toHaveLength(0)
  })

  test('no SQL asks the database for the time: time is passed in', () => {
    const clock = /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\bcurrent_(timestamp|date)\b/i
    const faults = files
      .filter((file) => /^server\/(src|migrations)\/.*\.(ts|sql)$/.test(file))
      .filter((file) => {
        const statements = file.endsWith('.sql') ? [read(file)] : (read(file).match(/`[^`]*`/g) ?? [])
        return statements.some((text) => clock.test(text.replaceAll(/--.*$/gm, '')))
      })
    expect(faults).toEqual([])
  })

  test('names are kebab-case and say what is inside', () => {
    const names = files
      .filter((file) => /^(server|bench|e2e|tools)\/.*\.ts$/.test(file))
      .map((f) => f.split('/').at(-1) ?? '')
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|gen|config))?\.ts$/.test(name))).toEqual([])
    expect(names.filter((name) => /^(utils?|helpers?|manager|common|index|misc)\.ts$/.test(name))).toEqual([])
  })

  test('the repository stands alone: nothing in it points outside', () => {
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
