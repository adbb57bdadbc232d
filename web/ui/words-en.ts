export type UiWords = {
  readonly testMode: string
  /** After testMode. */
  readonly testMeaning: string
  /** The name of the language switch for screen readers. */
  readonly language: string
  readonly copy: { readonly done: string; readonly refused: string }
  readonly unreachable: string
  /** Errors of the fields of the sign-in form, in the wallet and the dashboard. */
  readonly signIn: Readonly<
    Record<
      'emailMissing' | 'emailInvalid' | 'passwordMissing' | 'codeMissing' | 'recoveryCodeMissing' | 'codeWrong',
      string
    >
  >
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
  testMode: 'Test mode',
  testMeaning: ': no real money',
  language: 'Language',
  copy: { done: 'Copied', refused: 'Your browser blocked copying. Select the text instead.' },
  unreachable: 'We could not reach the server. Check that you are online.',
  signIn: {
    emailMissing: 'Enter your email address.',
    emailInvalid: 'Enter an email address, e.g. ivy@example.com.',
    passwordMissing: 'Enter your password.',
    codeMissing: 'Enter the 6 digits from your authenticator app.',
    recoveryCodeMissing: 'Enter one of your recovery codes.',
    codeWrong: 'This code is incorrect or has expired.',
  },
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
