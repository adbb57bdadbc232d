import Type, { type Static } from 'typebox'
import { deliveryStatuses } from '../messaging/event/wire.ts'
import { cursorFields } from '../http/schema.ts'
import { transactionStatuses, wireType } from '../payments/transaction/wire.ts'
import { shownOnchain, shownPayout } from '../vouchers/voucher/wire.ts'
import { wireShift } from '../vouchers/register/wire.ts'
import { tenders } from '../vouchers/sale/wire.ts'
import { accountKinds } from '../ledger/account.ts'

// Amounts are text.
const amount = Type.String()
const time = Type.String({ format: 'date-time' })
const timeOrEmpty = Type.String({ description: 'A time, or empty' })

/** A completed payment of which a part was refunded has a status of its own here. The merchant API calls it COMPLETED. */
const shownStatus = Type.Enum([...transactionStatuses, 'PARTIALLY_REFUNDED'])

/**
 * Why a payment ended without its money, or lost it again. `withdrawn`: the shop cancelled it. `underpaid`: less than the
 * requested deposit arrived in time. `not_approved`: nobody approved it in time.
 */
export const statusReasons = [
  'declined',
  'expired',
  'withdrawn',
  'underpaid',
  'not_approved',
  'network_failed',
  'network_reversed',
] as const

export const wirePayment = Type.Object({
  id: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  type: wireType,
  status: shownStatus,
  statusReason: Type.Enum([...statusReasons, ''], { description: 'Empty unless it ended without its money' }),
  currency: Type.String(),
  createdAt: time,
  by: Type.String({ description: 'The name of the staff member who acted' }),
  person: Type.String(),
  amount,
  charged: Type.String({ description: 'The total that the payer paid, with the fee' }),
  refunded: amount,
  moved: Type.String({ description: 'The amount that moved on the day it settled; empty until then' }),
  fee: Type.String({ description: 'Paid by the payer or by the merchant. Empty until it settles' }),
  net: Type.String({ description: 'What was left of `charged` after the fee. Empty until it settles' }),
  settledAt: Type.String({ description: 'When its money moved. Empty until then, and if it ended without it' }),
  endedAt: Type.String({ description: 'When it ended without its money, or lost it again. Empty otherwise' }),
  codeTail: Type.String(),
  direction: Type.Enum(['in', 'out', 'none']),
})
export type WirePayment = Static<typeof wirePayment>

export const wirePayments = Type.Object({ payments: Type.Array(wirePayment), ...cursorFields })
export type WirePayments = Static<typeof wirePayments>

const wireSalesTotal = Type.Object({
  currency: Type.String(),
  count: Type.Integer({ description: 'The sales that were paid, also those refunded since' }),
  amount: Type.String({ description: 'What is left of them after refunds' }),
  refunded: amount,
})
export type WireSalesTotal = Static<typeof wireSalesTotal>

export const wireTillSales = Type.Object({
  ...wirePayments.properties,
  totals: Type.Array(wireSalesTotal, { description: 'Of the whole day, also of sales on other pages' }),
})
export type WireTillSales = Static<typeof wireTillSales>

const wireParty = Type.Object({
  kind: Type.Enum([...accountKinds, 'other_merchant']),
  name: Type.String({ description: 'The end of a voucher’s code, or a user’s name' }),
})
export type WireParty = Static<typeof wireParty>

const wireJournal = Type.Object({
  id: Type.String({ format: 'uuid' }),
  reference: Type.String({ description: 'Of the payment, or of the refund that the journal belongs to' }),
  kind: Type.String(),
  postedAt: time,
  transfers: Type.Array(Type.Object({ from: wireParty, to: wireParty, amount, currency: Type.String() })),
})
export type WireJournal = Static<typeof wireJournal>

const wireDelivery = Type.Object({
  url: Type.String(),
  status: Type.Enum(deliveryStatuses),
  nextAttemptAt: Type.Union([Type.Null(), time]),
  attempts: Type.Array(
    Type.Object({
      at: time,
      statusCode: Type.Union([Type.Null(), Type.Integer()]),
      failure: Type.String(),
      durationMs: Type.Integer(),
    }),
  ),
})

const wirePaymentEvent = Type.Object({
  id: Type.String({ format: 'uuid' }),
  type: Type.String(),
  at: time,
  deliveries: Type.Array(wireDelivery),
})
export type WirePaymentEvent = Static<typeof wirePaymentEvent>

const wirePrice = Type.Object({
  charge: amount,
  chargedTo: Type.Enum(['voucher', 'merchant']),
  received: amount,
  receivedCurrency: Type.String(),
})
export type WirePrice = Static<typeof wirePrice>

const wireRefundOfPayment = Type.Object({
  reference: Type.String(),
  amount,
  createdAt: time,
  by: Type.String(),
  reason: Type.String(),
})

export const wirePaymentDetail = Type.Object({
  payment: Type.Object({
    ...wirePayment.properties,
    metadata: Type.String(),
    refundable: Type.String({ description: 'The most that can be refunded; empty if nothing can be' }),
    canMailReceipt: Type.Boolean(),
  }),
  price: Type.Union([Type.Null(), wirePrice], { description: 'Set for a redemption' }),
  voucher: Type.Union([
    Type.Null(),
    Type.Object({ id: Type.String({ format: 'uuid' }), codeTail: Type.String(), isOwn: Type.Boolean() }),
  ]),
  payout: Type.Union([Type.Null(), shownPayout], { description: 'Set if it pays on a network' }),
  refundOf: Type.Union([Type.Null(), Type.Object({ reference: Type.String(), amount })]),
  refunds: Type.Array(wireRefundOfPayment),
  journals: Type.Array(wireJournal),
  events: Type.Array(wirePaymentEvent),
})
export type WirePaymentDetail = Static<typeof wirePaymentDetail>

/** The state of a voucher in the dashboard, where an open voucher without balance is "used". */
export const issuedState = Type.Enum([
  'open',
  'inactive',
  'used',
  'expired',
  'frozen',
  'blocked',
  'cancelled',
  'replaced',
])
export type IssuedState = Static<typeof issuedState>

const wireIssued = Type.Object({
  id: Type.String({ format: 'uuid' }),
  currency: Type.String(),
  hasPin: Type.Boolean(),
  createdAt: time,
  isDelivered: Type.Boolean(),
  codeTail: Type.String(),
  amount,
  balance: amount,
  state: issuedState,
  recipient: Type.String(),
  batchId: Type.String(),
  expiresAt: timeOrEmpty,
  onchain: Type.Union([Type.Null(), shownOnchain], { description: 'Null if no vault on a network holds its value' }),
})
export type WireIssued = Static<typeof wireIssued>

export const wireIssuedPage = Type.Object({ vouchers: Type.Array(wireIssued), ...cursorFields })
export type WireIssuedPage = Static<typeof wireIssuedPage>

const wireActivity = Type.Object({
  at: time,
  kind: Type.String(),
  amount: Type.String({ description: 'Empty if no value moved' }),
  charge: amount,
  where: Type.String(),
  reason: Type.String(),
  reference: Type.String(),
})
export type WireActivity = Static<typeof wireActivity>

const wireGift = Type.Object({
  email: Type.String(),
  sender: Type.String(),
  message: Type.String(),
  sendAt: time,
  sentAt: Type.String({ description: 'Empty until it was sent' }),
  sends: Type.Integer(),
})

export const wireIssuedDetail = Type.Object({
  voucher: Type.Object({
    ...wireIssued.properties,
    onlyAt: Type.Array(Type.String(), {
      description: 'Names of the merchants where it can be redeemed. Empty means everywhere',
    }),
    replaces: Type.String({ description: 'The id of the lost voucher that it replaces, or empty' }),
    replacedBy: Type.String(),
    gift: Type.Union([Type.Null(), wireGift], { description: 'Null if it was not sold as a gift by email' }),
  }),
  life: Type.Array(wireActivity),
})
export type WireIssuedDetail = Static<typeof wireIssuedDetail>

const sumFields = { count: Type.Integer(), amount }
const wireSum = Type.Object(sumFields)

const wireFigure = Type.Object({ kind: wireType, currency: Type.String(), ...sumFields })
export type WireFigure = Static<typeof wireFigure>

const wireDayFigure = Type.Object({ day: Type.String({ format: 'date' }), ...wireFigure.properties })
export type WireDayFigure = Static<typeof wireDayFigure>

const wireBalance = Type.Object({
  currency: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  available: amount,
  held: amount,
  admin: Type.String({ description: 'The balance that pays fees' }),
})
export type WireBalance = Static<typeof wireBalance>

export const attentionKinds = [
  'outflows_waiting',
  'invoices_waiting',
  'invoices_unpaid',
  'deposit_cases',
  'vouchers_frozen',
  'webhooks_failing',
] as const

const wireAttention = Type.Object({
  kind: Type.Enum(attentionKinds),
  count: Type.Integer({ description: 'At most 100' }),
})
export type WireAttention = Static<typeof wireAttention>

export const wireHome = Type.Object({
  today: Type.String({ format: 'date' }),
  balances: Type.Array(wireBalance),
  days: Type.Array(wireDayFigure),
  sinceMidnight: Type.Array(wireFigure),
  lastWeek: Type.Array(wireFigure),
  attention: Type.Array(wireAttention),
})
export type WireHome = Static<typeof wireHome>

export const wireMemberNames = Type.Object({
  members: Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() })),
})
export type WireMemberNames = Static<typeof wireMemberNames>

const wireCashier = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  isPinSet: Type.Boolean(),
})
export type WireCashier = Static<typeof wireCashier>

export const wireTill = Type.Object({
  cashiers: Type.Array(wireCashier),
  me: Type.String({ description: 'The id of the cashier who is signed in' }),
})
export type WireTill = Static<typeof wireTill>

const wireCountRow = Type.Object({
  currency: Type.String(),
  redeemed: wireSum,
  charges: Type.String({ description: 'Fees that payers paid on top' }),
  refunded: wireSum,
  issued: wireSum,
})
export type WireCountRow = Static<typeof wireCountRow>

const wireCashierCount = Type.Object({
  id: Type.String({ description: 'Empty for API keys' }),
  name: Type.String(),
  rows: Type.Array(wireCountRow),
})
export type WireCashierCount = Static<typeof wireCashierCount>

export const wireDayCount = Type.Object({
  day: Type.String({ format: 'date' }),
  today: Type.String({ format: 'date' }),
  cashiers: Type.Array(wireCashierCount),
})
export type WireDayCount = Static<typeof wireDayCount>

const wireTenderCount = Type.Object({
  shiftId: Type.String({ description: 'Empty outside a shift' }),
  cashier: Type.String({ description: 'Empty for a key' }),
  tender: Type.Enum([...tenders]),
  currency: Type.String(),
  sold: Type.Integer(),
  value: Type.String(),
  taken: Type.String(),
  paidBack: Type.Integer({ description: 'Undone sales and vouchers that were paid back' }),
  given: Type.String(),
})
export type WireTenderCount = Static<typeof wireTenderCount>

export const wireSalesReport = Type.Object({
  day: Type.String({ format: 'date' }),
  today: Type.String({ format: 'date' }),
  tenders: Type.Array(wireTenderCount),
  shifts: Type.Array(wireShift),
})
export type WireSalesReport = Static<typeof wireSalesReport>
