import { hostname, userInfo } from 'node:os'
import { recordAct } from '../server/src/user/acts.ts'
import type { Tools } from './main.ts'

// What follows one of these is a secret and is never recorded.
const secretOptions = new Set(['--pin'])

/** Puts a command on record before it is done, with who ran it. Returns the id of the record. */
export async function recordCommand({ pool, clock, newId }: Tools, words: readonly string[]): Promise<string> {
  const id = newId()
  const { rows } = await pool.query<{ role: string }>('select session_user as role')
  const who = process.env.SUDO_USER ?? userInfo().username
  const ranBy = `${who}@${hostname()} as ${rows[0]?.role ?? ''}`
  const [noun = '', verb = '', ...rest] = words
  const act = {
    id,
    ranBy,
    operation: `scrip ${noun} ${verb}`.trim(),
    object: withoutSecrets(rest).join(' '),
    address: '',
  }
  await recordAct(pool, act, clock())
  return id
}

function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const [option = ''] = word.split('=')
    if (secretOptions.has(words[i - 1] ?? '')) return '…'
    return secretOptions.has(option) && word !== option ? `${option}=…` : word
  })
}
