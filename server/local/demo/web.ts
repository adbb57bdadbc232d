// Builds the web pages if they are older than their sources.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
// The last page that is built.
const built = join(root, 'web/dist/holder/index.html')

/** `signal` ends the build early. The next call then builds again. */
export async function buildWeb(signal?: AbortSignal): Promise<void> {
  const sources = readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/web\/(dist|node_modules)\b/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
  const newestMs = Math.max(...sources.map((file) => statSync(file).mtimeMs))
  if (existsSync(built) && statSync(built).mtimeMs > newestMs) return
  const build = spawn(process.execPath, [join(root, 'web/build/build.ts')], {
    cwd: root,
    // Tests set another value, for which React is built with its development warnings.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, so that Ctrl-C in a terminal reaches only the caller.
    detached: true,
  })
  const kill = (): unknown => build.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  let errors = ''
  build.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const [status] = (await once(build, 'exit')) as [number | null]
  signal?.removeEventListener('abort', kill)
  if (status === 0) return
  rmSync(built, { force: true })
  throw new Error(`The web pages were not built:\n${errors}`)
}
