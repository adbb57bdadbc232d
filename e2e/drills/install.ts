// Boots a new Debian with systemd and runs docs/operate/install.md in it, word by word, up to the first redemption.
// Needs root, the packages debootstrap and systemd-container, and a mirror of Debian. Takes a few minutes.
//   npm run drill -- install
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '../..')
const mirror = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian'
const bootSecondsMax = 120
const services = ['scrip-api', 'scrip-worker']
/** The machine shares the network of this one. */
const ports = [5432, 8080, 9464, 9465]

const startMs = performance.now()
const faults: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'scrip-install-'))
const machine = join(folder, 'debian')
let leader = 0
try {
  await requireFreePorts()
  step('archive')
  execFileSync('npm', ['run', 'package'], { cwd: root, stdio: 'ignore' })
  step('a new Debian')
  createMachine()
  step('boot')
  await boot()
  step('docs/operate/install.md')
  const output = runPage()
  checkOutput(output)
  step('what runs')
  checkServices()
  await checkRestart()
  checkSecrets()
} finally {
  if (leader !== 0) await powerOff()
  rmSync(folder, { recursive: true, force: true })
}
const seconds = Math.round((performance.now() - startMs) / 1_000)
for (const fault of faults) console.log(`fault: ${fault}`)
console.log(`install services=${services.length} faults=${faults.length} seconds=${seconds}`)
process.exit(faults.length === 0 ? 0 : 1)

function step(name: string): void {
  console.log(`${Math.round((performance.now() - startMs) / 1_000)} s: ${name}`)
}

async function requireFreePorts(): Promise<void> {
  for (const port of ports) if (await isOpen(port)) throw new Error(`Port ${port} is in use. The new machine needs it.`)
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve: answer } = Promise.withResolvers<boolean>()
  const socket = createConnection(port, '127.0.0.1')
  socket.on('connect', () => answer(true)).on('error', () => answer(false))
  return promise.finally(() => socket.destroy())
}

function createMachine(): void {
  const packages = 'systemd,systemd-sysv,dbus,ca-certificates'
  execFileSync('debootstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', machine, mirror], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const archive = `scrip-${version}-${process.platform}-${process.arch}.tar.gz`
  copyFileSync(join(root, 'dist', archive), join(machine, 'root', archive))
}

async function boot(): Promise<void> {
  const options = [
    '--quiet',
    `--directory=${machine}`,
    '--boot',
    '--machine=scrip-install',
    '--register=no',
    '--keep-unit',
  ]
  const nspawn = spawn('systemd-nspawn', [...options, '--console=pipe'], { stdio: 'ignore' })
  for (let second = 0; second < bootSecondsMax; second++) {
    await sleep(1_000)
    const children = readFileSync(`/proc/${nspawn.pid ?? 0}/task/${nspawn.pid ?? 0}/children`, 'utf8').trim()
    leader = Number(children.split(' ').find((pid) => readlinkSync(`/proc/${pid}/exe`).endsWith('/systemd')) ?? 0)
    if (leader !== 0 && /^(running|degraded)/.test(inside('systemctl is-system-running').output)) return
  }
  throw new Error(`The machine did not start in ${bootSecondsMax} s.`)
}

/** Runs a script in the booted machine. */
function inside(script: string): { output: string; status: number | null } {
  const enter = [`--target=${leader}`, '--mount', '--uts', '--ipc', '--pid', '--cgroup', '--root', '--wd']
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' }
  const { stdout, stderr, status } = spawnSync('nsenter', [...enter, 'bash', '-c', script], {
    encoding: 'utf8',
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { output: `${stdout}${stderr}`, status }
}

/** All commands of the numbered sections, in one shell, as a person would type them. */
function runPage(): string {
  const page = readFileSync(join(root, 'docs/operate/install.md'), 'utf8')
  const numbered = page.slice(page.indexOf('## 1. '), page.indexOf('## From a clone'))
  const blocks = [...numbered.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, commands = '']) => commands)
  if (blocks.length < 7) throw new Error('The page has fewer commands than it should have.')
  writeFileSync(join(machine, 'root/page.sh'), `set -e\n${blocks.join('\necho\n')}`)
  const { output, status } = inside('cd; bash page.sh')
  if (status !== 0) throw new Error(`A command of the page failed.\n${output.slice(-3_000)}`)
  return output
}

/** 1,000.00 from the funding and 10.00 from the voucher, which paid its fee too. */
function checkOutput(output: string): void {
  if (!output.includes('{"status":"ready"}')) faults.push('The API did not say that it is ready.')
  if (!/"referenceId":"ORDER-1"/.test(output)) faults.push('The voucher was not redeemed.')
  if (!/"balance":1010\.00\b/.test(output)) faults.push('The balance is not 1,010.00.')
  if (!/\/link#/.test(output)) faults.push('The owner was not invited.')
}

function checkServices(): void {
  for (const service of services) {
    const state = inside(`systemctl is-active ${service}; systemctl show --value --property=MainPID ${service}`).output
    const [active, pid = '0'] = state.split('\n')
    if (active !== 'active') faults.push(`${service} is ${active}.`)
    if (inside(`ps -o user= -p ${pid} 2>/dev/null || stat -c %U /proc/${pid}`).output.trim() !== 'scrip')
      faults.push(`${service} does not run as scrip.`)
    console.log(`  ${inside(`systemd-analyze security ${service} | tail -n 1`).output.trim()}`)
  }
  const verified = inside('scrip ledger verify')
  if (verified.status !== 0) faults.push(`The ledger is not consistent: ${verified.output}`)
  for (const port of [9464, 9465])
    if (inside(`curl --silent --fail http://127.0.0.1:${port}/metrics`).status !== 0)
      faults.push(`No metrics on port ${port}.`)
}

/** A process that is killed comes back. */
async function checkRestart(): Promise<void> {
  inside('systemctl kill --signal=KILL scrip-api')
  await sleep(2_000)
  const ready = inside(
    'curl --silent --fail --retry 30 --retry-connrefused --retry-delay 1 http://127.0.0.1:8080/health/ready',
  )
  if (ready.status !== 0) faults.push('scrip-api did not come back after it was killed.')
}

/** No secret is in the log, in the environment of a service, or in a file that its user can read. */
function checkSecrets(): void {
  const secrets = inside('cat /etc/scrip/credentials/*')
    .output.split('\n')
    .filter((line) => line.length > 20)
  if (secrets.length < 6) faults.push('Secrets are missing.')
  const log = inside('journalctl --no-pager --output=cat').output
  const environments = inside(`cat $(systemctl show --value --property=MainPID ${services.join(' ')} |
    grep . | sed 's,.*,/proc/&/environ,')`).output
  for (const secret of secrets) {
    if (log.includes(secret)) faults.push('A secret is in the journal.')
    if (environments.includes(secret)) faults.push('A secret is in the environment of a service.')
  }
  if (!environments.includes('KEY_RING_FILE')) faults.push('The environments were not read.')
  const reading = inside('setpriv --reuid=scrip --regid=scrip --clear-groups cat /etc/scrip/credentials/KEY_RING')
  if (reading.status === 0) faults.push('The user of the services can read the secrets.')
}

async function powerOff(): Promise<void> {
  inside('systemctl poweroff')
  for (let second = 0; second < 60 && existsSync(`/proc/${leader}`); second++) await sleep(1_000)
  if (existsSync(`/proc/${leader}`)) process.kill(leader, 'SIGKILL')
}
