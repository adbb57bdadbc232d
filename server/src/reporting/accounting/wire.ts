import Type, { type Static } from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'
import { reportAccounts } from './accounts.ts'
import { ages, feeBearers, feeKinds, movementKinds } from './kinds.ts'

const currency = Type.String({ description: 'The abbreviation of the currency' })
const valueIn = money('What came in')
const valueOut = money('What went out')

export const account = Type.Enum(reportAccounts, {
  title: 'ReportAccount',
  description:
    'balance: your balance. admin: the balance that pays fees. store_float: minus what you owe the holders of store vouchers. platform_vouchers and store_vouchers: what is on all vouchers that you issued. batches: paid for, not yet on vouchers. unclaimed: left on expired vouchers. fees: fees paid. exchange and rounding: conversions. funding: money from outside. others: accounts of others, such as wallets of users and other shops',
})

const periodFields = {
  from: Type.String({ format: 'date', description: 'The first day, in your time zone' }),
  until: Type.String({ format: 'date', description: 'The last day, in your time zone' }),
}

export const wireLiability = named('LiabilityReport', {
  ...periodFields,
  liabilities: Type.Array(
    named('Liability', {
      currency,
      vouchers: Type.Enum(['platform', 'store'] as const),
      opening: money('Outstanding at the start of the first day'),
      closing: money('Outstanding at the end of the last day: opening plus what came in, less what went out'),
      movements: Type.Array(named('LiabilityMovement', { kind: Type.Enum(movementKinds), valueIn, valueOut }), {
        description:
          'Only kinds that occurred. fees: of redemptions, paid by vouchers. expired: breakage. voided: undone sales. replaced: left a lost voucher for its replacement',
      }),
      months: Type.Array(
        named('LiabilityMonth', {
          month: Type.String({ description: 'YYYY-MM, in your time zone' }),
          outstanding: money(),
        }),
        { description: 'The closing value by the month in which the vouchers were issued' },
      ),
      ages: Type.Array(named('LiabilityAge', { months: Type.Enum(ages), outstanding: money() }), {
        description: 'The closing value by age in calendar months. A voucher of this month is 0 months old',
      }),
    }),
  ),
})
export type WireLiability = Static<typeof wireLiability>

export const wireStatement = named('Statement', {
  ...periodFields,
  account,
  currency,
  opening: money('At the start of the first day'),
  valueIn,
  valueOut,
  closing: money('At the end of the last day'),
  lines: Type.Array(
    named('StatementLine', {
      id: Type.String({ format: 'uuid', description: 'The id of the journal' }),
      at: Type.String({ format: 'date-time' }),
      kind: Type.String({ description: 'The kind of the journal' }),
      type: Type.String({ description: 'The type of your transaction, or empty' }),
      reference: Type.String({ description: 'The reference of your transaction, or empty' }),
      valueIn,
      valueOut,
    }),
    { description: 'Oldest first' },
  ),
  ...cursorFields,
})
export type WireStatement = Static<typeof wireStatement>

export const wireAccountBalance = named('AccountBalance', {
  account,
  currency,
  balance: money('Including what is held'),
  at: Type.String({ format: 'date-time', description: 'The time of the balance' }),
})

export const wireFees = named('FeeReport', {
  ...periodFields,
  fees: Type.Array(
    named('FeeSum', {
      currency,
      kind: Type.Enum(feeKinds),
      bearer: Type.Enum(feeBearers, {
        description:
          'Who paid: the voucher, the payer on top, your balances, or a redemption that was sent to a network',
      }),
      amount: money('Fees that were paid'),
      returned: money('Fees of payments that their network reversed'),
    }),
  ),
})
export type WireFees = Static<typeof wireFees>

export const wireTotals = named('AccountTotals', {
  ...periodFields,
  totals: Type.Array(
    named('AccountTotal', { account, currency, opening: money(), debit: money(), credit: money(), closing: money() }),
  ),
})
export type WireTotals = Static<typeof wireTotals>

const number = Type.String({ maxLength: 40, pattern: '^[^\\x00-\\x1f\\x7f]*$', description: 'Empty: none' })
export const accountNumbers = Type.Array(named('AccountNumber', { account, number }), {
  maxItems: reportAccounts.length,
})
export const wireNumbers = named('AccountNumbers', { accounts: accountNumbers })
export type WireNumbers = Static<typeof wireNumbers>
