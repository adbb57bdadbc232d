import type { Command } from 'commander'
import { fetchRates } from '../server/src/catalogue/currency/fetch-rates.ts'
import { setManualRate } from '../server/src/catalogue/currency/rates.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { publishAlert } from '../server/src/catalogue/exchange/alerts.ts'
import { exchangeEvent } from '../server/src/catalogue/exchange/events.ts'
import { acceptHeldRate, isBeyondBand, recordRate } from '../server/src/catalogue/exchange/record-rate.ts'
import { listHeldRates } from '../server/src/catalogue/exchange/store.ts'
import { alertTools, print, run, type Tools } from './tools.ts'

/** Exchange rates. */
export function addRateCommands(scrip: Command): void {
  const rate = scrip.command('rate').description('exchange rates')
  rate
    .command('fetch <source> <url>')
    .description('fetches rates over HTTP once; run it from a timer, at least every 4 minutes for crypto')
    .action((source: string, url: string) => run((tools) => saveRates(tools, source, url)))
  rate
    .command('set <from> <to> <rate>')
    .description('sets a rate manually, which overrides every other source for an hour, or 5 minutes for crypto')
    .option('--accept-jump', 'even if it is further from the last rate than the band allows')
    .action((from: string, to: string, value: string, { acceptJump }: { acceptJump?: boolean }) =>
      run(async ({ pool, clock }) => {
        for (const code of [from, to]) await findCurrency(pool, code)
        if (acceptJump !== true && (await isBeyondBand(pool, { from, to, rate: value })))
          throw new Error(
            'This rate is further from the last one than the band allows. Check it, then add --accept-jump.',
          )
        await setManualRate(pool, from, to, value, clock)
        print(`1 ${from} is ${value} ${to}.`)
      }),
    )
  rate
    .command('held')
    .description('lists fetched rates that jumped further than their band allows')
    .action(() =>
      run(async ({ pool }) => {
        const held = await listHeldRates(pool)
        if (held.length === 0) print('No rate is held.')
        for (const { from, to, source, rate: value, asOf } of held)
          print(`1 ${from} = ${value} ${to}  ${source}  ${asOf.toISOString()}`)
      }),
    )
  rate
    .command('accept <from> <to> <source>')
    .description('accepts a held rate')
    .action((from: string, to: string, source: string) =>
      run(async ({ pool }) => {
        const accepted = await acceptHeldRate(pool, from, to, source)
        if (accepted === undefined) throw new Error(`No rate from ${from} to ${to} by ${source} is held.`)
        print(`1 ${from} is ${accepted.rate} ${to}.`)
      }),
    )
}

/** Saves what a source reports, and publishes an alert for each rate that needs the approval of the operator. */
async function saveRates(tools: Tools, source: string, url: string): Promise<void> {
  const rates = await fetchRates(tools.pool, { name: source, url }, tools.clock)
  let saved = 0
  for (const each of rates) {
    const { isHeld } = await recordRate(tools.pool, each)
    if (!isHeld) {
      saved++
      continue
    }
    const { from, to, rate: value } = each
    await publishAlert(alertTools(tools), (about) =>
      exchangeEvent('exchange.rate_held', about, { from, to, rate: value, source }),
    )
    print(`Held: 1 ${from} = ${value} ${to}. Accept it with: scrip rate accept ${from} ${to} ${source}`)
  }
  print(`${source}: ${saved} of ${rates.length} rates saved.`)
}
