import type { Command } from 'commander'
import { formatMoney, parseMoney } from '../server/src/base/money.ts'
import { fetchRates } from '../server/src/currency/fetch-rates.ts'
import { pivot, setManualRate } from '../server/src/currency/rates.ts'
import { findCurrency } from '../server/src/currency/store.ts'
import { type AlertTools, publishAlert } from '../server/src/exchange/alerts.ts'
import { exchangeEvent } from '../server/src/exchange/events.ts'
import { acceptHeldRate, isBeyondBand, recordRate } from '../server/src/exchange/record-rate.ts'
import {
  findTerms,
  listHeldRates,
  type PairTerms,
  saveTerms,
  setDeskLimit,
  setStopped,
  setUserDaily,
} from '../server/src/exchange/store.ts'
import { listPositions, settleDesk } from '../server/src/exchange/settle-desk.ts'
import { openLedger } from '../server/src/ledger/post.ts'
import { createFindHouse } from '../server/src/merchant/house.ts'
import type { Run, Tools } from './main.ts'

const say = (text: string): void => console.log(text)

function alertTools({ config, pool, clock, newId }: Tools): AlertTools {
  return { pool, clock, newId, findHouse: createFindHouse(pool, clock, newId, config.platformName) }
}

/** 0.5 is 5000 parts per million. */
function parsePercent(text: string): bigint {
  return parseMoney(text, { code: 'percent', decimals: 4 }).minor
}

/** Exchange rates, and what protects the exchange desk. */
export function addExchangeCommands(scrip: Command, run: Run): void {
  addRateCommands(scrip.command('rate').description('exchange rates'), run)
  addRiskCommands(scrip.command('exchange').description('what a conversion costs and what the desk may owe'), run)
}

function addRateCommands(rate: Command, run: Run): void {
  rate
    .command('fetch <source> <url>')
    .description('fetches rates over HTTP once; run it from a timer, at least every 4 minutes for coins')
    .action((source: string, url: string) =>
      run(async (tools) => {
        const said = await fetchRates(tools.pool, { name: source, url }, tools.clock)
        let saved = 0
        for (const each of said) {
          const { isHeld } = await recordRate(tools.pool, each)
          if (!isHeld) {
            saved++
            continue
          }
          const { from, to, rate: value } = each
          await publishAlert(alertTools(tools), (about) =>
            exchangeEvent('exchange.rate_held', about, { from, to, rate: value, source }),
          )
          say(`Held: 1 ${from} = ${value} ${to}. Accept it with: scrip rate accept ${from} ${to} ${source}`)
        }
        say(`${source}: ${saved} of ${said.length} rates saved.`)
      }),
    )
  rate
    .command('set <from> <to> <rate>')
    .description('sets a rate by hand: it comes before every other source for an hour, for coins 5 minutes')
    .option('--accept-jump', 'although it is further from the last rate than the band allows')
    .action((from: string, to: string, said: string, { acceptJump }: { acceptJump?: boolean }) =>
      run(async ({ pool, clock }) => {
        for (const code of [from, to]) await findCurrency(pool, code)
        if (acceptJump !== true && (await isBeyondBand(pool, { from, to, rate: said })))
          throw new Error(
            'This rate is further from the last one than the band allows. Check it, then add --accept-jump.',
          )
        await setManualRate(pool, from, to, said, clock)
        say(`1 ${from} is ${said} ${to}.`)
      }),
    )
  rate
    .command('held')
    .description('lists fetched rates that jumped further than their band')
    .action(() =>
      run(async ({ pool }) => {
        const held = await listHeldRates(pool)
        if (held.length === 0) say('No rate is held.')
        for (const { from, to, source, rate: value, saidAt } of held)
          say(`1 ${from} = ${value} ${to}  ${source}  ${saidAt.toISOString()}`)
      }),
    )
  rate
    .command('accept <from> <to> <source>')
    .description('accepts a held rate')
    .action((from: string, to: string, source: string) =>
      run(async ({ pool }) => {
        const accepted = await acceptHeldRate(pool, from, to, source)
        if (accepted === undefined) throw new Error(`No rate from ${from} to ${to} of ${source} is held.`)
        say(`1 ${from} is ${accepted.rate} ${to}.`)
      }),
    )
}

function addRiskCommands(exchange: Command, run: Run): void {
  exchange
    .command('pair <from> <to>')
    .description('sets the spread, tolerance and band of a pair; what is not named stays')
    .option('--spread <percent>', 'what the desk keeps of a conversion; at least the tolerance')
    .option('--tolerance <percent>', 'how far the market may move before a quote is refused')
    .option('--band <percent>', 'how far a fetched rate may jump before it waits for you')
    .action((from: string, to: string, options: { spread?: string; tolerance?: string; band?: string }) =>
      run(async ({ pool }) => {
        for (const code of [from, to]) await findCurrency(pool, code, 'any')
        const before = await findTerms(pool, from, to)
        const read = (text: string | undefined, old: bigint): bigint => (text === undefined ? old : parsePercent(text))
        const terms: PairTerms = {
          spreadPpm: read(options.spread, before.spreadPpm),
          tolerancePpm: read(options.tolerance, before.tolerancePpm),
          bandPpm: read(options.band, before.bandPpm),
        }
        if (terms.spreadPpm < terms.tolerancePpm)
          throw new Error(
            'The spread must be at least the tolerance: otherwise users win by choosing when to use a quote.',
          )
        await saveTerms(pool, from, to, terms)
        say(`${from} and ${to}: the terms are set.`)
      }),
    )
  exchange
    .command('desk-limit <currency> <amount>')
    .description('what one exchange desk account may owe in a currency')
    .action((code: string, amount: string) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(amount, await findCurrency(pool, code, 'any'))
        await setDeskLimit(pool, code, minor)
        say(`A desk may owe ${amount} ${code}.`)
      }),
    )
  exchange
    .command('user-limit <amount>')
    .description('what one user may exchange in a day, in US dollars')
    .action((amount: string) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(amount, await findCurrency(pool, pivot, 'any'))
        await setUserDaily(pool, minor)
        say(`A user may exchange ${amount} ${pivot} in a day.`)
      }),
    )
  addDeskCommands(exchange.command('desk').description('what the desk of a merchant owes'), run)
  for (const [verb, isStopped] of [
    ['stop', true],
    ['start', false],
  ] as const)
    exchange
      .command(verb)
      .description(isStopped ? 'refuses every conversion at once' : 'allows conversions again')
      .action(() =>
        run(async (tools) => {
          await setStopped(tools.pool, isStopped)
          await publishAlert(alertTools(tools), (about) =>
            exchangeEvent(isStopped ? 'exchange.stopped' : 'exchange.started', about, {}),
          )
          say(isStopped ? 'Exchange is stopped.' : 'Exchange is allowed.')
        }),
      )
}

function addDeskCommands(desk: Command, run: Run): void {
  desk
    .command('show <code>')
    .description('what the desk has taken in (positive) and owes (negative)')
    .option('--test', 'in test mode')
    .action((code: string, options: { test?: boolean }) =>
      run(async ({ pool, environment }) => {
        const mode = options.test === true ? 'test' : 'live'
        const positions = await listPositions(pool, (await environment(code, mode)).environmentId, mode)
        if (positions.length === 0) say('The desk owes nothing.')
        for (const { currency, balance } of positions)
          say(`${formatMoney({ minor: balance, currency: await findCurrency(pool, currency, 'any') })} ${currency}`)
      }),
    )
  desk
    .command('settle <code>')
    .description('records that you have bought what the desk owes and sold what it took in')
    .requiredOption('--reference <text>', 'yours; the same one twice settles once')
    .option('--test', 'in test mode')
    .action((code: string, options: { reference: string; test?: boolean }) =>
      run(async ({ config, pool, clock, newId, environment }) => {
        const mode = options.test === true ? 'test' : 'live'
        const { environmentId } = await environment(code, mode)
        const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
        try {
          const settled = await settleDesk({ pool, ledger, newId }, environmentId, mode, options.reference)
          say(settled === undefined ? 'The desk owes nothing.' : 'The desk is settled.')
        } finally {
          await ledger.close()
        }
      }),
    )
}
