// `npm run contracts`: builds the contracts, tests them, and fails if gas, coverage or what is generated from them is not as it
// should be. `npm run contracts -- write` writes the gas snapshot and the generated files instead of comparing them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from './generate.ts'

const linesCoveredMin = 95
const isWriting = process.argv.includes('write')
const root = resolve(import.meta.dirname, '..')
const lcov = join(import.meta.dirname, 'cache/lcov.info')
const startMs = Date.now()

function forge(args: string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync('forge', args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // npm brings it for Linux on x64; elsewhere it has to be on the path.
  if (error !== undefined) throw error
  if (status === 0) return stdout
  process.stdout.write(stdout + stderr)
  console.error(`contracts: forge ${args[0] ?? ''} failed`)
  process.exit(1)
}

function testContracts(): number {
  const said = forge(['test'], isWriting ? {} : { FORGE_SNAPSHOT_CHECK: 'true' })
  const [, passed] = /(\d+) tests passed, 0 failed, 0 skipped/.exec(said) ?? []
  console.log(said.replaceAll(/^[╭╰|+].*\n/gm, '').replaceAll(/\n{2,}/g, '\n'))
  if (passed === undefined) throw new Error('forge did not say how many tests passed')
  return Number(passed)
}

function compareGenerated(): void {
  for (const [name, text] of Object.entries(generatedFiles())) {
    const path = join(root, name)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    if (!isWriting) throw new Error(`${name} is out of date: npm run contracts -- write`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** Of our contracts, not of the tests. Random sequences are left out: they take long and reach nothing that the others do not. */
function coveredPercent(): number {
  const filters = ['--no-match-contract', 'AnybodyTest', '--no-match-test', 'test_gas']
  forge(['coverage', '--report', 'lcov', '--report-file', lcov, '--exclude-tests', ...filters])
  const records = readFileSync(lcov, 'utf8')
    .split('end_of_record')
    .filter((record) => /^SF:src\//m.test(record))
  const lines = records.flatMap((record) =>
    [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line = '', hits]) => ({
      where: `${/SF:(.*)/.exec(record)?.[1] ?? ''}:${line}`,
      isHit: hits !== '0',
    })),
  )
  for (const line of lines) if (!line.isHit) console.log(`not covered: contracts/${line.where}`)
  return (100 * lines.filter((line) => line.isHit).length) / lines.length
}

forge(['fmt', '--check'])
forge(['build'])
forge(['build', 'src/LastingDepositFactory.sol', 'src/Balances.sol', 'test/local/TestToken.sol'], {
  FOUNDRY_PROFILE: 'paris',
})
compareGenerated()
const tests = testContracts()
const covered = coveredPercent()
const gas = JSON.parse(readFileSync(join(import.meta.dirname, 'snapshots/DepositFactory.json'), 'utf8')) as Record<
  string,
  string
>
console.log(
  `contracts tests=${tests} lines_covered=${covered.toFixed(1)}% gas_coin=${gas['1 coin'] ?? '?'} gas_token=${gas['1 token'] ?? '?'} ` +
    `gas_50_both=${gas['50 coin and token'] ?? '?'} seconds=${Math.round((Date.now() - startMs) / 1000)}`,
)
// NaN, when nothing was measured, is no success either.
if (!(covered >= linesCoveredMin)) {
  console.error(`contracts: fewer than ${linesCoveredMin} % of lines are covered`)
  process.exit(1)
}
