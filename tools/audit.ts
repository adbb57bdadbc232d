// `npm run audit`: queries the registry for known vulnerabilities, and checks the signatures of all packages. A registry or
// network that does not offer this is no failure: the output says what was skipped, and why.
import { spawnSync } from 'node:child_process'

type Outcome = 'passed' | 'failed' | 'skipped'
type Report = {
  metadata?: { vulnerabilities: Record<string, number> }
  invalid?: { name: string; version: string }[]
  missing?: { name: string; version: string }[]
  message?: string
  error?: { code?: string; summary?: string }
}

/** npm's report, or the reason why there is none. */
function runNpm(args: string[]): Report {
  const { stdout } = spawnSync('npm', [...args, '--json', '--fetch-retries=0'], { encoding: 'utf8', timeout: 120_000 })
  try {
    return JSON.parse(stdout) as Report
  } catch {
    return { message: 'npm did not finish' }
  }
}

const reasonOf = ({ message, error }: Report): string =>
  [message, error?.code, error?.summary?.split('\n')[0]].filter(Boolean).join(' ') || 'no report'

function checkVulnerabilities(): Outcome {
  const report = runNpm(['audit'])
  if (report.metadata === undefined) return print('vulnerabilities', 'skipped', reasonOf(report))
  const { high = 0, critical = 0, total = 0 } = report.metadata.vulnerabilities
  const found = `${total} known, ${high} high, ${critical} critical`
  return print('vulnerabilities', high + critical > 0 ? 'failed' : 'passed', found)
}

function checkSignatures(): Outcome {
  const report = runNpm(['audit', 'signatures'])
  if (report.invalid === undefined) return print('signatures', 'skipped', reasonOf(report))
  const bad = [...report.invalid, ...(report.missing ?? [])].map(({ name, version }) => `${name}@${version}`)
  return print('signatures', bad.length > 0 ? 'failed' : 'passed', bad.join(' ') || 'all packages are signed')
}

function print(what: string, outcome: Outcome, detail: string): Outcome {
  console.log(`${what}: ${outcome}: ${detail}`)
  return outcome
}

if ([checkVulnerabilities(), checkSignatures()].includes('failed')) process.exitCode = 1
