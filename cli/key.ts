import { Argument, type Command } from 'commander'
import { createKey, listKeys, revokeKey, rotateKey } from '../server/src/identity/merchant/keys.ts'
import { type ModeOption, modeOf, print, run } from './tools.ts'

type KeyOptions = ModeOption & { name: string; origin?: string[] }

/** API keys of merchants. */
export function addKeyCommands(scrip: Command): void {
  const key = scrip.command('key').description('API keys')
  key
    .command('create <code>')
    .addArgument(new Argument('<kind>').choices(['public', 'secret']))
    .option('--name <name>', 'what it is for', 'created by the operator')
    .option('--origin <url...>', 'web sites that may use a public key')
    .option('--test', 'in test mode')
    .action((code: string, kind: 'public' | 'secret', options: KeyOptions) =>
      run(async (tools) => {
        const environment = await tools.environment(code, modeOf(options))
        const input = { kind, name: options.name, origins: options.origin ?? [] }
        const created = await createKey(tools, environment, input)
        print(`${created.key}\nID ${created.id}. ${kind === 'secret' ? 'This key is shown only once.' : ''}`)
      }),
    )
  key
    .command('list <code>')
    .option('--test', 'in test mode')
    .action((code: string, options: ModeOption) =>
      run(async (tools) => {
        const keys = await listKeys(tools, await tools.environment(code, modeOf(options)))
        for (const { id, kind, name, shown, lastUsedAt, endsAt } of keys) {
          const used = `used ${lastUsedAt?.toISOString() ?? 'never'}`
          const ends = endsAt ? `ends ${endsAt.toISOString()}` : ''
          print([id, kind.padEnd(6), shown, name, used, ends].join('  '))
        }
      }),
    )
  key
    .command('rotate <code> <id>')
    .description('creates a new key; the old key works for another day')
    .option('--test', 'in test mode')
    .action((code: string, id: string, options: ModeOption) =>
      run(async (tools) => {
        const created = await rotateKey(tools, await tools.environment(code, modeOf(options)), id)
        print(`${created.key}\nID ${created.id}. The old key ends in 24 hours.`)
      }),
    )
  key
    .command('revoke <code> <id>')
    .option('--test', 'in test mode')
    .action((code: string, id: string, options: ModeOption) =>
      run(async (tools) => {
        await revokeKey(tools, await tools.environment(code, modeOf(options)), id)
        print('The key is revoked. Every server refuses it within 5 seconds.')
      }),
    )
}
