// The commands of a runbook, as an operator reads them, and how the drill runs them.
import { type ChildProcess, spawn } from 'node:child_process'

export type Block = {
  /** The heading above it. */
  readonly heading: string
  readonly line: number
  readonly script: string
  /** Lines that the output must contain, in this order. `…` stands for any text. Empty: any output. */
  readonly expected: readonly string[]
}

const timeoutMs = 300_000
const running = new Set<ChildProcess>()
process.once('exit', killBlocks)

/** Ends the commands that run. */
export function killBlocks(): void {
  for (const child of running) kill(child)
}

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Every fenced `sh` block in order, each with the `output` block that follows it. Other languages are refused. */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let line = 0
  for (const part of markdown.split(/^(```[^\n]*\n[\s\S]*?^```$)/m)) {
    const [, kind, text = ''] = /^```([^\n]*)\n([\s\S]*?)^```$/m.exec(part) ?? []
    if (kind === undefined)
      heading =
        part
          .match(/^#+ .*/gm)
          ?.at(-1)
          ?.replace(/^#+ /, '') ?? heading
    else if (kind === 'sh') blocks.push({ heading, line: line + 1, script: text, expected: [] })
    else addExpected(blocks, kind, text, line + 1)
    line += part.split('\n').length - 1
  }
  return blocks
}

function addExpected(blocks: Block[], kind: string, text: string, line: number): void {
  const last = blocks.pop()
  if (kind !== 'output' || last === undefined || last.expected.length > 0)
    throw new Error(`Line ${line}: a runbook has blocks of \`sh\`, each with at most one of \`output\` after it.`)
  blocks.push({ ...last, expected: text.split('\n').filter((each) => each.trim() !== '') })
}

/** The number of commands: lines that are neither comments nor continue another line. */
export function countCommands({ script }: Block): number {
  const lines = script.replaceAll(/\\\n/g, ' ').split('\n')
  return lines.filter(
    (each) => each.trim() !== '' && !each.startsWith('#') && !/^\s/.test(each) && !/^(done|fi)\b/.test(each),
  ).length
}

/** Runs a block with bash, which stops at the first command that fails. Returns why it is not as the runbook says. */
export async function runBlock(
  { script, expected }: Block,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly output: string; readonly fault: string | undefined }> {
  // In a group of its own, so that none of its commands outlives it after a timeout.
  const options = { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'], detached: true }
  const child = spawn('bash', ['-eo', 'pipefail', '-c', script], options)
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const timer = setTimeout(() => kill(child), timeoutMs)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearTimeout(timer)
  running.delete(child)
  if (code !== 0) return { output, fault: `ended with ${code ?? 'a timeout'}` }
  const missing = findMissing(output, expected)
  return { output, fault: missing === undefined ? undefined : `does not print "${missing}"` }
}

/** The first expected line that the output does not have after those before it. */
function findMissing(output: string, expected: readonly string[]): string | undefined {
  let rest = output
  for (const line of expected) {
    const parts = line.trim().split('…')
    const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+'))
    const found = new RegExp(pattern.join('[^\\n]*')).exec(rest)
    if (found === null) return line
    rest = rest.slice(found.index + found[0].length)
  }
  return undefined
}
