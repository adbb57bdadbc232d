import type { Command } from 'commander'
import { formatMoney, parseMoney } from '../server/src/base/money.ts'
import { pivot } from '../server/src/catalogue/currency/rates.ts'
import { findCurrency } from '../server/src/catalogue/currency/store.ts'
import { publishAlert } from '../server/src/catalogue/exchange/alerts.ts'
import { exchangeEvent } from '../server/src/catalogue/exchange/events.ts'
import { listPositions, settleDesk } from '../server/src/catalogue/exchange/settle-desk.ts'
import {
  findTerms,
  type PairTerms,
  saveTerms,
  setDeskLimit,
  setStopped,
  setUserDaily,
} from '../server/src/catalogue/exchange/store.ts'
import { alertTools, type ModeOption, modeOf, parsePercent, print, run, withLedger } from './tools.ts'

/** The price of a conversion, and the limits that protect the exchange desk. */
export function addExchangeCommands(scrip: Command): void {
  const exchange = scrip.command('exchange').description('the price of a conversion and the limits of the desk')
  addPairCommand(exchange)
  addLimitCommands(exchange)
  addDeskCommands(exchange.command('desk').description('the balances of a merchant’s exchange desk'))
  addStopCommands(exchange)
}

function addPairCommand(exchange: Command): void {
  exchange
    .command('pair <from> <to>')
    .description('sets the spread, tolerance and band of a pair; omitted values do not change')
    .option('--spread <percent>', 'the part of a conversion that the desk keeps; at least the tolerance')
    .option('--tolerance <percent>', 'how far the market may move before a quote is refused')
    .option('--band <percent>', 'how far a fetched rate may jump before it needs your approval')
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
        print(`The terms of ${from} and ${to} are set.`)
      }),
    )
}

function addLimitCommands(exchange: Command): void {
  exchange
    .command('desk-limit <currency> <amount>')
    .description('sets how much one exchange desk may owe in a currency')
    .action((code: string, amount: string) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(amount, await findCurrency(pool, code, 'any'))
        await setDeskLimit(pool, code, minor)
        print(`A desk may owe ${amount} ${code}.`)
      }),
    )
  exchange
    .command('user-limit <amount>')
    .description('sets how much one user may exchange in a day, in US dollars')
    .action((amount: string) =>
      run(async ({ pool }) => {
        const { minor } = parseMoney(amount, await findCurrency(pool, pivot, 'any'))
        await setUserDaily(pool, minor)
        print(`A user may exchange ${amount} ${pivot} in a day.`)
      }),
    )
}

function addStopCommands(exchange: Command): void {
  for (const [verb, isStopped] of [
    ['stop', true],
    ['start', false],
  ] as const)
    exchange
      .command(verb)
      .description(isStopped ? 'refuses all conversions immediately' : 'allows conversions again')
      .action(() =>
        run(async (tools) => {
          await setStopped(tools.pool, isStopped)
          await publishAlert(alertTools(tools), (about) =>
            exchangeEvent(isStopped ? 'exchange.stopped' : 'exchange.started', about, {}),
          )
          print(isStopped ? 'Exchange is stopped.' : 'Exchange is allowed.')
        }),
      )
}

function addDeskCommands(desk: Command): void {
  desk
    .command('show <code>')
    .description('lists what the desk has taken in (positive) and owes (negative)')
    .option('--test', 'in test mode')
    .action((code: string, options: ModeOption) =>
      run(async ({ pool, environment }) => {
        const mode = modeOf(options)
        const positions = await listPositions(pool, (await environment(code, mode)).environmentId, mode)
        if (positions.length === 0) print('The desk owes nothing.')
        for (const { currency, balance } of positions)
          print(`${formatMoney({ minor: balance, currency: await findCurrency(pool, currency, 'any') })} ${currency}`)
      }),
    )
  desk
    .command('settle <code>')
    .description('records that you bought what the desk owes and sold what it took in')
    .requiredOption('--reference <text>', 'your own; the same reference settles once')
    .option('--test', 'in test mode')
    .action((code: string, options: ModeOption & { reference: string }) =>
      run((tools) =>
        withLedger(tools, async (ledger) => {
          const { pool, newId, environment } = tools
          const mode = modeOf(options)
          const { environmentId } = await environment(code, mode)
          const settled = await settleDesk({ pool, ledger, newId }, environmentId, mode, options.reference)
          print(settled === undefined ? 'The desk owes nothing.' : 'The desk is settled.')
        }),
      ),
    )
}
