import { hostname, userInfo } from 'node:os'
import { selectValue, sql } from '../server/src/base/sql.ts'
import { recordAct } from '../server/src/identity/user/acts.ts'
import type { Tools } from './tools.ts'

// The values of these options are secret and never recorded.
const secretOptions = new Set(['--pin'])

/** Records a command and the user who ran it, before it runs. Returns the ID of the record. */
export async function recordCommand({ pool, clock, newId }: Tools, words: readonly string[]): Promise<string> {
  const id = newId()
  const role = await selectValue(pool)`select ${sql.text`session_user::text`}`
  const user = process.env.SUDO_USER ?? userInfo().username
  const ranBy = `${user}@${hostname()} as ${role ?? ''}`
  const [noun = '', verb = '', ...rest] = words
  const act = {
    id,
    ranBy,
    operation: `scrip ${noun} ${verb}`.trim(),
    // The record of an erasure must not name the person again.
    object: noun === 'person' ? '' : withoutSecrets(rest).join(' '),
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
