export type Role = 'owner' | 'accountant' | 'cashier' | 'developer'

export type Person = {
  readonly id: string
  readonly email: string
  readonly fullName: string
  readonly isPinSet: boolean
  readonly hasTwoFactor: boolean
}

export type Merchant = {
  readonly code: string
  readonly name: string
  readonly role: Role
  readonly timeZone: string
  readonly homeCurrency: string
  /** The session was begun by a pin at a till. */
  readonly isTill: boolean
}

export type SupportedCurrency = {
  readonly currency: string
  readonly symbol: string
  readonly abbreviation: string
  readonly isActive: boolean
  readonly decimals: number
}

export type Payment = {
  readonly id: string
  readonly reference: string
  readonly type: string
  readonly status: string
  readonly amount: string
  /** What the payer bore in all. */
  readonly charged: string
  readonly refunded: string
  readonly currency: string
  readonly createdAt: string
  readonly settledAt: string
  readonly by: string
  readonly person: string
  readonly codeTail: string
  readonly direction: 'in' | 'out' | 'none'
}
export type Payments = { readonly payments: readonly Payment[]; readonly nextCursor: string }

type Attempt = {
  readonly at: string
  readonly statusCode: number | null
  readonly failure: string
  readonly durationMs: number | null
}
type Delivery = {
  readonly url: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly nextAttemptAt: string | null
  readonly attempts: readonly Attempt[]
}
export type PaymentEvent = {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly deliveries: readonly Delivery[]
}
type Refund = {
  readonly reference: string
  readonly amount: string
  readonly createdAt: string
  readonly by: string
  readonly reason: string
}
export type Journal = {
  readonly id: string
  readonly kind: string
  readonly postedAt: string
  readonly transfers: readonly {
    readonly from: string
    readonly to: string
    readonly amount: string
    readonly currency: string
  }[]
}
export type OnePayment = {
  readonly payment: Payment & {
    readonly metadata: string
    readonly refundable: string
    readonly canMailReceipt: boolean
  }
  readonly price: {
    readonly charge: string
    readonly chargedTo: 'voucher' | 'merchant'
    readonly received: string
    readonly receivedCurrency: string
  } | null
  readonly voucher: { readonly id: string; readonly codeTail: string; readonly isOwn: boolean } | null
  readonly refundOf: { readonly reference: string; readonly amount: string } | null
  readonly refunds: readonly Refund[]
  readonly journals: readonly Journal[]
  readonly events: readonly PaymentEvent[]
}

export type VoucherState = 'open' | 'used' | 'expired' | 'frozen' | 'blocked' | 'cancelled' | 'replaced'
export type IssuedVoucher = {
  readonly id: string
  readonly codeTail: string
  readonly amount: string
  readonly balance: string
  readonly currency: string
  readonly state: VoucherState
  readonly hasPin: boolean
  readonly recipient: string
  readonly batchId: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly isDelivered: boolean
}
export type IssuedVouchers = { readonly vouchers: readonly IssuedVoucher[]; readonly nextCursor: string }
export type LifeEntry = {
  readonly at: string
  readonly kind: string
  readonly amount: string
  readonly charge: string
  readonly where: string
  readonly reason: string
  readonly reference: string
}
export type OneIssued = {
  readonly voucher: IssuedVoucher & {
    readonly onlyAt: readonly string[]
    readonly replacedBy: string
    readonly replaces: string
  }
  readonly life: readonly LifeEntry[]
}

export type Batch = {
  readonly id: string
  readonly source: 'made' | 'imported'
  readonly status: 'issuing' | 'ready'
  readonly size: number
  readonly issued: number
  readonly refused: readonly number[]
  readonly amount: string
  readonly total: string
  readonly currency: string
  readonly createdAt: string
  readonly exportedAt: string
}

/** A voucher as everybody with its code may see it. */
export type ShownVoucher = {
  readonly id: string
  readonly code: string
  readonly amount: string
  readonly balance: string
  readonly generatedCurrency: { readonly name: string; readonly symbol: string; readonly abbrev: string }
  readonly isUsed: boolean
  readonly isLocked: boolean
  readonly expiresAt: string
  readonly state: string
}
export type Quote = {
  readonly swapAmount: string
  readonly toAmount: string
  readonly processingFee: string
  readonly totalDeductable: string
  readonly chargedTo: 'voucher' | 'merchant'
  readonly quoteId: string
  readonly expiresAt: string
}

type Sum = { readonly count: number; readonly amount: string }
export type Moved = Sum & { readonly kind: string; readonly currency: string }
export type DayMoved = Moved & { readonly day: string }
export type HomeFigures = {
  readonly today: string
  readonly balances: readonly {
    readonly currency: string
    readonly name: string
    readonly symbol: string
    readonly available: string
    readonly held: string
    readonly admin: string
  }[]
  readonly days: readonly DayMoved[]
  readonly sinceMidnight: readonly Moved[]
  readonly lastWeek: readonly Moved[]
  readonly attention: readonly { readonly kind: string; readonly count: number }[]
}
export type CountRow = {
  readonly currency: string
  readonly redeemed: Sum
  readonly charges: string
  readonly refunded: Sum
  readonly issued: Sum
}
export type DayCount = {
  readonly day: string
  readonly today: string
  readonly cashiers: readonly { readonly id: string; readonly name: string; readonly rows: readonly CountRow[] }[]
}

export type Outflow = {
  readonly id: string
  readonly kind: 'payout' | 'voucher' | 'batch' | 'replacement' | 'invoice'
  readonly reference: string
  readonly recipient: string
  /** Empty: an API key requested it. */
  readonly requester: string
  readonly amount: string
  readonly currency: string
  /** Of staff members other than the requester. */
  readonly approvals: number
  readonly needsApproval: boolean
  readonly isRecipientNew: boolean
  readonly notBefore: string | null
  readonly expiresAt: string
  readonly createdAt: string
}
export type Outflows = { readonly outflows: readonly Outflow[]; readonly approvers: number }

/** The server's response instead of a voucher or a batch that waits for approval. */
export type PendingOutflow = {
  readonly id: string
  readonly status: 'PENDING' | 'CANCELED'
  readonly amount: string
  readonly currency: string
}

export type OutflowLimits = {
  readonly currency: string
  /** An amount, or "none". */
  readonly approvalAbove: string
  readonly daily: string
  readonly newRecipientHours: number
  readonly isDefault: boolean
  /** What left, or waits to leave, in the last 24 hours. */
  readonly total: string
}
