import type { Command } from 'commander'
import { checkKeyRing } from '../server/src/vouchers/code/check-key-ring.ts'
import { print, run } from './tools.ts'

/** The check of the key ring. */
export function addKeyRingCommands(scrip: Command): void {
  scrip
    .command('key-ring')
    .description('the keys that encrypt voucher codes and webhook secrets')
    .command('check')
    .description('lists the keys in use and whether KEY_RING has them; reads every voucher')
    .action(() =>
      run(async ({ config, pool }) => {
        const uses = await checkKeyRing(pool, config.keyRing)
        if (uses.length === 0) print('Nothing is encrypted yet.')
        for (const { keyId, what, rows, verdict } of uses) print(`Key ${keyId}: ${rows} ${what}, ${verdict}.`)
        if (uses.some(({ verdict }) => verdict !== 'opens')) process.exitCode = 1
      }),
    )
}
