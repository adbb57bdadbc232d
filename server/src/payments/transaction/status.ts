/** The states of a transaction and their allowed successors. The database enforces the same table. */
export const legalMoves = {
  PENDING: ['APPROVED', 'PROCESSING', 'COMPLETED', 'CANCELED', 'FAILED'],
  APPROVED: ['PROCESSING', 'COMPLETED', 'CANCELED', 'FAILED'],
  PROCESSING: ['COMPLETED', 'FAILED'],
  COMPLETED: ['REFUNDED', 'REVERSED'],
  CANCELED: [],
  FAILED: [],
  REFUNDED: [],
  REVERSED: [],
} as const

export type TransactionStatus = keyof typeof legalMoves

export const transactionStatuses = Object.keys(legalMoves) as readonly TransactionStatus[]
