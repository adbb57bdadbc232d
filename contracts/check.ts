// `npm run contracts`: builds and tests the contracts, and fails if gas, coverage or generated files are not as expected.
// `npm run contracts -- write` writes the gas snapshot and the generated files instead of comparing them.
// `npm run contracts -- mutations` tests the tests of the vault instead.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from './generate.ts'
import { runMutations } from './mutations.ts'

if (process.argv.includes('mutations')) process.exit(runMutations() ? 0 : 1)

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
  // npm installs forge for Linux on x64. On other platforms it must be on the PATH.
  if (error !== undefined) throw error
  if (status === 0) return stdout
  process.stdout.write(stdout + stderr)
  console.error(`contracts: forge ${args[0] ?? ''} failed`)
  process.exit(1)
}

function testContracts(): number {
  const output = forge(['test'], isWriting ? {} : { FORGE_SNAPSHOT_CHECK: 'true' })
  const [, passed] = /(\d+) tests passed, 0 failed, 0 skipped/.exec(output) ?? []
  console.log(output.replaceAll(/^[╭╰|+].*\n/gm, '').replaceAll(/\n{2,}/g, '\n'))
  if (passed === undefined) throw new Error('forge did not report how many tests passed')
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

/** Line coverage of the contracts, not of the tests. Without the invariant tests, which take long and cover no more lines. */
function coveredPercent(): number {
  const filters = ['--no-match-contract', 'AnybodyTest|InvariantTest', '--no-match-test', 'test_gas']
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

function readGas(name: string): (of: string) => string {
  const text = readFileSync(join(import.meta.dirname, `snapshots/${name}.json`), 'utf8')
  const gas = JSON.parse(text) as Record<string, string>
  return (of) => gas[of] ?? '?'
}

forge(['fmt', '--check'])
forge(['build'])
const forAllNetworks = ['src/LastingDepositFactory.sol', 'src/VoucherVault.sol', 'src/Balances.sol']
forge(['build', ...forAllNetworks, 'test/local/TestToken.sol'], { FOUNDRY_PROFILE: 'paris' })
compareGenerated()
const tests = testContracts()
const covered = coveredPercent()
const sweep = readGas('DepositFactory')
const vault = readGas('VoucherVault')
console.log(
  `contracts tests=${tests} lines_covered=${covered.toFixed(1)}% ` +
    `gas_coin=${sweep('1 coin')} gas_token=${sweep('1 token')} gas_50_both=${sweep('50 coin and token')} ` +
    `gas_create=${vault('coin: create')}/${vault('token: create')} ` +
    `gas_redeem=${vault('coin: redeem a part')}/${vault('token: redeem a part')} ` +
    `seconds=${Math.round((Date.now() - startMs) / 1000)}`,
)
// NaN, when nothing was measured, fails too.
if (!(covered >= linesCoveredMin)) {
  console.error(`contracts: fewer than ${linesCoveredMin} % of lines are covered`)
  process.exit(1)
}
