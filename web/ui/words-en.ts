export type UiWords = {
  readonly testBand: string
  /** The name of the language switch for screen readers. */
  readonly language: string
  readonly unreachable: string
  readonly ticket: TicketWords & {
    readonly leftAtExpiry: string
    readonly codeAndShopCode: (shopCode: string) => string
    readonly balanceOfAmount: (balance: string, amount: string) => string
  }
}

/** The words of a ticket that an app may replace. */
export type TicketWords = {
  readonly left: string
  readonly of: string
  readonly code: string
  readonly stamps: Readonly<Record<'open' | 'used' | 'expired', string>>
}

export const en: UiWords = {
  testBand: 'Test mode: no real money',
  language: 'Language',
  unreachable: 'We could not reach the server. Check that you are online.',
  ticket: {
    left: 'Remaining balance',
    leftAtExpiry: 'Balance at expiry',
    of: 'of',
    code: 'Code',
    codeAndShopCode: (shopCode) => `Code, with shop code ${shopCode}`,
    balanceOfAmount: (balance, amount) => `${balance} of ${amount}`,
    stamps: { open: '', used: 'Fully used', expired: 'Expired' },
  },
}
