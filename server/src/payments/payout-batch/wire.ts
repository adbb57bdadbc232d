import Type, { type Static } from 'typebox'
import { cursorFields, money, named } from '../../http/schema.ts'
import { outflowForecasts } from '../outflow/wire.ts'
import { rowFaultNames } from './faults.ts'

export const batchStatuses = ['waiting', 'paying', 'done', 'canceled'] as const
export type BatchStatus = (typeof batchStatuses)[number]
export const rowStatuses = ['waiting', 'paid', 'refused'] as const

const text = Type.String()
const fault = Type.Enum(rowFaultNames, { title: 'PayoutRowFault' })
const reason = Type.String({ description: 'What is wrong with the row, and what to do' })

export const wirePayoutBatch = named('PayoutBatch', {
  id: text,
  referenceId: text,
  status: Type.Enum(batchStatuses, {
    title: 'PayoutBatchStatus',
    description: 'waiting: for an approval, or because a recipient is new. paying: a worker pays row by row',
  }),
  size: Type.Integer({ description: 'Rows of the file' }),
  paid: Type.Integer(),
  refused: Type.Integer({ description: 'Rows that were refused by the check or could not be paid' }),
  total: money('What left your balance, or waits to leave it'),
  returned: Type.String({ description: 'What came back of it, for accepted rows that could not be paid' }),
  currency: text,
  createdAt: Type.String({ format: 'date-time' }),
  finishedAt: Type.String({ description: 'Empty until every row is paid or refused' }),
})
export type WirePayoutBatch = Static<typeof wirePayoutBatch>

export const wirePayoutBatches = Type.Object({ batches: Type.Array(wirePayoutBatch), ...cursorFields })
export type WirePayoutBatches = Static<typeof wirePayoutBatches>

const wirePayoutRow = named('PayoutRow', {
  line: Type.Integer({ description: 'Line of the file, from 1' }),
  recipient: Type.String({ description: 'As the file names it' }),
  name: Type.String({ description: 'Empty if no user was found' }),
  amount: Type.String({ description: 'Empty if it could not be read' }),
  referenceId: Type.String({ description: 'Of the payout. Empty if the row was refused by the check' }),
  note: text,
  status: Type.Enum(rowStatuses, { title: 'PayoutRowStatus' }),
  fault: Type.Union([fault, Type.Null()]),
  reason: Type.String({ description: 'Empty unless it was refused' }),
})
export type WirePayoutRow = Static<typeof wirePayoutRow>

export const wirePayoutRows = Type.Object({ rows: Type.Array(wirePayoutRow), ...cursorFields })
export type WirePayoutRows = Static<typeof wirePayoutRows>

export const wirePayoutCheck = named('PayoutFileCheck', {
  size: Type.Integer({ description: 'Rows of the file' }),
  accepted: Type.Integer({ description: 'Rows that can be paid' }),
  newRecipients: Type.Integer({ description: 'Accepted rows whose recipient you have never paid' }),
  total: money('Of the accepted rows'),
  currency: text,
  totals: Type.Array(Type.Object({ currency: text, rows: Type.Integer(), amount: text }), {
    description: 'Of all rows whose amount could be read, by the currency that they name',
  }),
  isCovered: Type.Boolean({ description: 'True if your balance covers the total' }),
  outflow: Type.Enum(outflowForecasts, {
    title: 'OutflowForecast',
    description:
      'What happens when you submit it: it is sent at once, waits for an approval, waits because a recipient is new, or is refused',
  }),
  waitHours: Type.Integer({ description: 'The wait for a new recipient' }),
  sameFile: Type.String({
    description: 'The reference under which you submitted this file before. Empty if you did not',
  }),
  faults: Type.Array(Type.Object({ line: Type.Integer(), recipient: text, fault, reason }), {
    description: 'Every row that is not paid',
  }),
  confirmation: Type.String({
    description: 'Send it with the same file to pay the accepted rows. Empty if there are none',
  }),
})
export type WirePayoutCheck = Static<typeof wirePayoutCheck>

/** The check of a file, or the batch that was submitted. */
export const wirePayoutFile = Type.Object({
  check: Type.Optional(wirePayoutCheck),
  batch: Type.Optional(wirePayoutBatch),
})
export type WirePayoutFile = Static<typeof wirePayoutFile>
