import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

/** Alerts for the operator, published to the platform merchant's live environment. */
export const exchangeEvent = defineEvents({
  'exchange.rate_held': {
    summary: 'A fetched exchange rate jumped further than its band and waits for the operator.',
    data: Type.Object({
      from: Type.String(),
      to: Type.String(),
      rate: Type.String(),
      source: Type.String(),
    }),
  },
  'exchange.limit_reached': {
    summary: 'A conversion was refused because an exchange desk or a user reached a limit.',
    data: Type.Object({ code: Type.String({ description: 'The error of the refused request' }) }),
  },
  'exchange.stopped': { summary: 'The operator stopped all currency exchange.', data: Type.Object({}) },
  'exchange.started': { summary: 'The operator allowed currency exchange again.', data: Type.Object({}) },
})
