import type { Command } from 'commander'
import { findMerchantId } from '../server/src/identity/merchant/store.ts'
import { showCode } from '../server/src/vouchers/code/code.ts'
import { issueVoucher } from '../server/src/vouchers/voucher/issue.ts'
import { createKeyRing } from '../server/src/vouchers/code/key-ring.ts'
import { addRedeemOnchainCommand } from './redeem-onchain.ts'
import { type ModeOption, modeOf, print, run, withLedger } from './tools.ts'

type VoucherOptions = ModeOption & {
  reference: string
  pin?: string
  expires?: string
  onlyAt?: string[]
  email?: string
}

/** Vouchers that the operator issues, and the redemption of an onchain voucher by its holder. */
export function addVoucherCommands(scrip: Command): void {
  const voucher = scrip.command('voucher').description('vouchers')
  addRedeemOnchainCommand(voucher)
  voucher
    .command('issue <code> <amount> <currency>')
    .description('issues a voucher of a merchant, funded by the platform')
    .requiredOption('--reference <text>', 'your own; the same reference issues one voucher')
    .option('--pin <digits>', 'a lock PIN of 4 digits')
    .option('--expires <when>', "a time, or a date: the end of that day in the merchant's time zone")
    .option('--only-at <code...>', 'merchants where it can be redeemed')
    .option('--email <address>', 'the recipient')
    .option('--test', 'in test mode')
    .action((code: string, amount: string, currency: string, options: VoucherOptions) =>
      run((tools) =>
        withLedger(tools, async (ledger) => {
          const { reference, pin: lockPin, expires, onlyAt, email } = options
          if (lockPin !== undefined && !/^\d{4}$/.test(lockPin)) throw new Error('A lock PIN has 4 digits.')
          const merchantId = await findMerchantId(tools.pool, code)
          const issuer = { ...(await tools.environment(code, modeOf(options))), merchantId }
          const input = { amount, currency, reference, paidFrom: 'treasury', lockPin, onlyAt, expires } as const
          const recipient = email === undefined ? undefined : ({ kind: 'email', name: email } as const)
          const issueTools = { ...tools, ledger, keyRing: createKeyRing(tools.config.keyRing) }
          const issued = await issueVoucher(issueTools, issuer, { ...input, recipient })
          print(showCode(issued.code))
          if (issued.replayed) print('This reference was used before: it is the same voucher.')
        }),
      ),
    )
}
