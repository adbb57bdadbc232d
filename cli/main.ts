#!/usr/bin/env node
// The operator's command. It calls the same use cases as the server, with the same settings (.env).
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { systemClock } from '../server/src/base/clock.ts'
import { migrate } from '../server/src/base/migrate.ts'
import { readConfig } from '../server/src/config.ts'
import { addCatalogueCommands } from './catalogue.ts'
import { addChargeCommands } from './charges.ts'
import { addExchangeCommands } from './exchange.ts'
import { addIntegrityCommands } from './integrity.ts'
import { addKeyCommands } from './keys.ts'
import { addMerchantCommands } from './merchants.ts'
import { addAddressCommands } from './onchain.ts'
import { addOutflowCommands } from './outflow.ts'
import { addPeopleCommands } from './people.ts'
import { print } from './tools.ts'
import { addVoucherCommands } from './vouchers.ts'

const envFile = resolve(import.meta.dirname, '../.env')
if (existsSync(envFile)) process.loadEnvFile(envFile)
useDevSettings()

const scrip = new Command('scrip').description('Runs an installation of Scrip.').showHelpAfterError()

scrip
  .command('migrate')
  .description('brings the database to the schema of this version')
  .action(async () => {
    const folder = resolve(import.meta.dirname, '../server')
    const applied = await migrate(readConfig().ownerDatabaseUrl, folder, systemClock)
    print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database was up to date.')
  })

addMerchantCommands(scrip)
addIntegrityCommands(scrip)
addVoucherCommands(scrip)
addPeopleCommands(scrip)
addKeyCommands(scrip)
addChargeCommands(scrip)
addCatalogueCommands(scrip)
addExchangeCommands(scrip)
addOutflowCommands(scrip)
addAddressCommands(scrip)

try {
  await scrip.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Without a database of its own, the command uses the one of a running `npm run dev`. Never in production. */
function useDevSettings(): void {
  const { NODE_ENV, DATABASE_URL, OPERATOR_DATABASE_URL, OWNER_DATABASE_URL, SCRIP_DEV_FOLDER = '' } = process.env
  if (NODE_ENV === 'production') return
  if ([DATABASE_URL, OPERATOR_DATABASE_URL, OWNER_DATABASE_URL].some((url) => url !== undefined && url !== '')) return
  const file = resolve(import.meta.dirname, '..', SCRIP_DEV_FOLDER || '.scrip', 'dev.env')
  if (existsSync(file)) process.loadEnvFile(file)
}
