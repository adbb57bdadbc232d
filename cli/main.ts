#!/usr/bin/env node
// The operator's command. It calls the same use cases as the server, with the same settings (.env).
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { addAddressCommands } from './address.ts'
import { addChargesCommands } from './charges.ts'
import { addCurrencyCommands } from './currency.ts'
import { addDiscountCommands } from './discount.ts'
import { addExchangeCommands } from './exchange.ts'
import { addKeyCommands } from './key.ts'
import { addKeyRingCommands } from './key-ring.ts'
import { addLedgerCommands } from './ledger.ts'
import { addMerchantCommands } from './merchant.ts'
import { addMigrateCommand } from './migrate.ts'
import { addNetworkCommands } from './network.ts'
import { addOutflowCommands } from './outflow.ts'
import { addPersonCommands } from './person.ts'
import { addRateCommands } from './rate.ts'
import { addRestoreCheckCommand } from './restore-check.ts'
import { addStaffCommands } from './staff.ts'
import { addVoucherCommands } from './voucher.ts'
import { addWalletCommands } from './wallet.ts'

const envFile = resolve(import.meta.dirname, '../.env')
if (existsSync(envFile)) process.loadEnvFile(envFile)
useDevSettings()

const scrip = new Command('scrip').description('Runs an installation of Scrip.').showHelpAfterError()

addMigrateCommand(scrip)
addMerchantCommands(scrip)
addLedgerCommands(scrip)
addRestoreCheckCommand(scrip)
addKeyRingCommands(scrip)
addVoucherCommands(scrip)
addStaffCommands(scrip)
addWalletCommands(scrip)
addKeyCommands(scrip)
addChargesCommands(scrip)
addDiscountCommands(scrip)
addCurrencyCommands(scrip)
addNetworkCommands(scrip)
addRateCommands(scrip)
addExchangeCommands(scrip)
addOutflowCommands(scrip)
addAddressCommands(scrip)
addPersonCommands(scrip)

try {
  await scrip.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Without a database of its own, the command uses the one of a running `npm run dev`. Never in production. */
function useDevSettings(): void {
  const { NODE_ENV, SCRIP_DEV_FOLDER = '' } = process.env
  if (NODE_ENV === 'production') return
  const urls = ['DATABASE_URL', 'OPERATOR_DATABASE_URL', 'OWNER_DATABASE_URL'].flatMap((name) => [name, `${name}_FILE`])
  if (urls.some((name) => (process.env[name] ?? '') !== '')) return
  const file = resolve(import.meta.dirname, '..', SCRIP_DEV_FOLDER || '.scrip', 'dev.env')
  if (existsSync(file)) process.loadEnvFile(file)
}
