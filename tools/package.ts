// Writes dist/scrip, a folder that runs on a machine without npm: the server, the command line, the pages, the packages that they need,
// and Node. Writes it as an archive too. The folder is for this kind of machine, because some packages contain machine code.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'dist/scrip')
const { version, workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  workspaces: string[]
}
const archive = join(root, `dist/scrip-${version}-${process.platform}-${process.arch}.tar.gz`)
/** The workspaces that run in production. The pages are built, so that their packages are not needed. */
const running = ['server', 'cli']
/** Tests, what is installed separately, and the secrets and settings of a Compose that runs from this clone. */
const notPackaged = /\.test\.ts$|\/node_modules$|\/compose\/(?:secrets|\.env)$/

rmSync(join(root, 'dist'), { recursive: true, force: true })
run(root, 'npm', 'run', 'build')
installPackages()
copyProgram()
copyNode()
writeArchive()
console.log(`${target}: ${megabytes(target)} MB, as an archive ${megabytes(archive)} MB`)

/**
 * npm wants the manifests of all workspaces, also of those that it does not install for. Without `--omit=optional` it would install
 * development tools that a package names as an optional peer.
 */
function installPackages(): void {
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) copy(name)
  for (const workspace of workspaces) copy(join(workspace, 'package.json'))
  const chosen = running.flatMap((workspace) => ['-w', workspace])
  run(target, 'npm', 'ci', '--omit=dev', '--omit=optional', '--no-audit', '--no-fund', '--prefer-offline', ...chosen)
  for (const workspace of workspaces) if (!running.includes(workspace)) removeWorkspace(workspace)
  copyMachineCode()
}

/** Optional dependencies: the machine code of packages, for the machine that this clone was installed on. */
function copyMachineCode(): void {
  const waiting = globSync('node_modules/{*,@*/*}/package.json', { cwd: target })
  for (const manifest of waiting) {
    const { optionalDependencies = {} } = JSON.parse(readFileSync(join(target, manifest), 'utf8')) as {
      optionalDependencies?: Record<string, string>
    }
    for (const name of Object.keys(optionalDependencies)) {
      const folder = join('node_modules', name)
      if (!existsSync(join(root, folder)) || existsSync(join(target, folder))) continue
      copy(folder)
      waiting.push(join(folder, 'package.json'))
    }
  }
}

/** With the link that npm made to it, which would lead nowhere. */
function removeWorkspace(name: string): void {
  rmSync(join(target, name), { recursive: true })
  rmSync(join(target, 'node_modules/@scrip', name), { force: true })
}

function copyProgram(): void {
  for (const folder of ['server/src', 'server/migrations', 'server/sql', 'cli', 'web/dist', 'deploy']) copy(folder)
  for (const file of ['.env.example', 'CHANGELOG.md', 'LICENSE']) copy(file)
  mkdirSync(join(target, 'bin'))
  copyFileSync(join(root, 'deploy/bin/scrip'), join(target, 'bin/scrip'))
}

function copyNode(): void {
  const node = join(target, 'bin/node')
  copyFileSync(process.execPath, node)
  chmodSync(node, 0o755)
}

/** The same content gives the same archive. */
function writeArchive(): void {
  const stable = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  const compress = ['--use-compress-program', 'gzip --no-name']
  run(dirname(target), 'tar', ...stable, ...compress, '-cf', archive, `--transform=s,^scrip,scrip-${version},`, 'scrip')
}

function copy(path: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  cpSync(join(root, path), join(target, path), {
    recursive: true,
    filter: (source) => !notPackaged.test(source),
  })
}

function run(folder: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
}

function megabytes(path: string): string {
  const [kilobytes = '0'] = execFileSync('du', ['-sk', '--apparent-size', path], { encoding: 'utf8' }).split('\t')
  return (Number(kilobytes) / 1024).toFixed(0)
}
