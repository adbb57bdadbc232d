// One `npm run dev` per folder: the lock names the process and its address.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Running = { readonly pid: number; readonly address: string }

/** Takes the lock, or returns the process that has it. A lock whose process has ended is replaced. */
export function takeLock(folder: string, address: string): Running | undefined {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'dev.lock')
  const holder = readLock(file)
  if (holder !== undefined && isDev(holder.pid)) return holder
  rmSync(file, { force: true })
  // `wx` fails if another process takes the lock at the same moment.
  writeFileSync(file, JSON.stringify({ pid: process.pid, address }), { flag: 'wx' })
  return undefined
}

export function releaseLock(folder: string): void {
  rmSync(join(folder, 'dev.lock'), { force: true })
}

/** Ends the PostgreSQL that a killed `npm run dev` left running in this folder: it would refuse a second one. */
export async function stopLeftover(dataFolder: string): Promise<void> {
  const file = join(dataFolder, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (!commandOf(pid).includes(dataFolder)) return
  process.kill(pid, 'SIGINT')
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50))
}

function readLock(file: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Running
  } catch {
    return undefined
  }
}

/** The system reuses process numbers, so where it can be read, the command must be ours. */
function isDev(pid: number): boolean {
  return isAlive(pid) && (!existsSync('/proc/self/cmdline') || commandOf(pid).includes('dev.ts'))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
