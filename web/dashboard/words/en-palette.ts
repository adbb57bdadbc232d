export type PaletteWords = typeof enOfPalette

/** The command palette: search, go, act. */
export const enOfPalette = {
  heading: 'Find or go to',
  field: 'Find payments, vouchers, screens and actions',
  sections: { found: 'Results', acts: 'Actions', screens: 'Go to' },
  searching: 'Searching',
  results: (count: number): string => (count === 1 ? '1 result' : `${count} results`),
  none: 'No results',
  noneLead: 'Try a reference, an amount, an email address or the last 4 characters of a voucher code.',
  payments: (text: string): string => `Search payments for “${text}”`,
  vouchers: (text: string): string => `Search vouchers for “${text}”`,
  payment: 'Payment',
  voucher: 'Voucher',
  customer: 'Customer',
  screens: { brand: 'Brand', locations: 'Locations and registers', account: 'Account' },
  acts: {
    charge: 'Charge voucher',
    sell: 'Sell voucher',
    issue: 'Issue voucher',
    many: 'Issue many vouchers',
    import: 'Import vouchers',
    refund: 'Refund payment',
    cashier: 'Switch cashier',
    key: 'Create API key',
    endpoint: 'Add webhook endpoint',
    testVoucher: 'Issue a test voucher',
    test: 'Switch to test mode',
    live: 'Switch to live mode',
  },
  help: '↑ ↓ to move · Enter to choose · Esc to close',
}
