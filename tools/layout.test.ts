import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { files, read, root } from './repository.ts'

type Layout = {
  readonly folder: string
  /** The folders from low to high: a folder imports only from lower tiers, never from its neighbours on the same tier. */
  readonly tiers: readonly (readonly string[])[]
}

/** The areas of the server from low to high, each with its tiers. */
const areas: Readonly<Record<string, Layout['tiers']>> = {
  base: [['base']],
  engines: [
    ['ledger', 'http', 'chain', 'print'],
    ['http/reference', 'mail'],
  ],
  catalogue: [['catalogue/currency'], ['catalogue/exchange'], ['catalogue/charge']],
  identity: [['identity/user'], ['identity/merchant', 'identity/customer']],
  messaging: [['messaging/event'], ['messaging/push']],
  payments: [
    ['payments/transaction'],
    ['payments/wallet', 'payments/outflow'],
    ['payments/request', 'payments/deposit', 'payments/payout'],
    ['payments/payout-batch'],
  ],
  vouchers: [
    ['vouchers/code'],
    ['vouchers/voucher'],
    ['vouchers/redeem'],
    ['vouchers/hold', 'vouchers/register'],
    ['vouchers/lifecycle', 'vouchers/batch', 'vouchers/holder', 'vouchers/onchain'],
    ['vouchers/sale'],
  ],
  billing: [['billing/refund', 'billing/invoice']],
  reporting: [['reporting'], ['reporting/accounting', 'reporting/request-log', 'reporting/metrics']],
  privacy: [['privacy']],
}
const server: Layout = { folder: 'server/src', tiers: Object.values(areas).flat() }
const local: Layout = { folder: 'server/local', tiers: [['parts'], ['test', 'demo', 'drill']] }
const dashboard: Layout = {
  folder: 'web/dashboard',
  tiers: [
    ['words'],
    ['shell'],
    ['parts'],
    [
      'approvals',
      'audit',
      'customers',
      'deposits',
      'developers',
      'invoices',
      'payments',
      'reports',
      'requests',
      'settings',
      'team',
    ],
    ['vouchers', 'home', 'payouts'],
    ['sell'],
    ['till'],
  ],
}

function tierOf({ folder, tiers }: Layout, name: string): number {
  // Files beside the folders are the app, which may import everything.
  if (name === '') return tiers.length
  const tier = tiers.findIndex((names) => names.includes(name))
  if (tier < 0) throw new Error(`${folder}/${name} has no tier: add it to the table in layout.test.ts`)
  return tier
}

/** The folder of the layout that a file is in: the longest that fits. */
function folderOf({ folder, tiers }: Layout, file: string): string {
  const path = dirname(relative(join(root, folder), file))
  if (path === '.') return ''
  const known = tiers.flat().filter((name) => path === name || path.startsWith(`${name}/`))
  return known.toSorted((a, b) => b.length - a.length)[0] ?? path
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, path = '']) => path)
}

function tierFaults(layout: Layout, file: string, text: string): string[] {
  const inside = join(root, layout.folder)
  return importsOf(text)
    .map((path) => resolve(dirname(file), path))
    .filter((target) => target.startsWith(`${inside}/`))
    .flatMap((target) => {
      const from = folderOf(layout, file)
      const to = folderOf(layout, target)
      if (from === to || tierOf(layout, to) < tierOf(layout, from)) return []
      const names = `${from || 'the app'} may not import from ${to || 'the app'}`
      return [`${relative(root, file)} imports ${relative(root, target)}: ${names}`]
    })
}

function faultsOf(layout: Layout): string[] {
  return files
    .filter((file) => file.startsWith(`${layout.folder}/`) && /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) => tierFaults(layout, join(root, file), read(file)))
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
  test('a server folder imports only from lower tiers, so no area imports from a higher one', () => {
    expect(faultsOf(server)).toEqual([])
  })

  test('the rooms of the dashboard and of local support import only from lower tiers', () => {
    expect(faultsOf(dashboard)).toEqual([])
    expect(faultsOf(local)).toEqual([])
  })

  test('an import from a higher or from the same tier is found', () => {
    const faults = (file: string, text: string): string[] => tierFaults(server, join(root, 'server/src', file), text)
    const redeem = 'vouchers/redeem/redeem.ts'
    expect(faults('ledger/post.ts', `import { x } from '../${redeem}'`)).toHaveLength(1)
    expect(faults('ledger/post.ts', `const x = await import('../config.ts')`)).toHaveLength(1)
    expect(faults('payments/deposit/book.ts', `import { x } from '../payout/pay-out.ts'`)).toHaveLength(1)
    expect(faults('payments/payout/pay-out.ts', `import { x } from '../../${redeem}'`)).toHaveLength(1)
    expect(faults(redeem, `import { x } from '../../ledger/post.ts'`)).toHaveLength(0)
    expect(faults(redeem, `import { x } from '../voucher/store.ts'`)).toHaveLength(0)
    const till = join(root, 'web/dashboard/payments/refund.tsx')
    expect(tierFaults(dashboard, till, `import { Till } from '../till/till.tsx'`)).toHaveLength(1)
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
    expect(shared).toContain(join(root, 'server/src/reporting/wire.ts'))
    expect(packagesBehind(join(root, 'server/src/reporting/to-wire.ts'))).not.toEqual([])
  })

  test('no SQL reads the database clock: time is a parameter', () => {
    const clock = /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\bcurrent_(timestamp|date)\b/i
    // A floor that no caller can lower by the time it gives.
    const guard = "least(decided_before, now() - interval '5 years')"
    const faults = files
      .filter((file) => /^server\/(src|migrations|sql)\/.*\.(ts|sql)$/.test(file))
      .filter((file) => {
        const statements = file.endsWith('.sql') ? [read(file)] : (read(file).match(/`[^`]*`/g) ?? [])
        return statements.some((text) => clock.test(text.replaceAll(/--.*$/gm, '').replace(guard, '')))
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
