export type PaletteWords = typeof enOfPalette

/** The command palette: search, go, act. */
export const enOfPalette = {
  heading: 'Find or go to',
  field: 'Find payments, vouchers, screens and actions',
  sections: { acts: 'Actions', screens: 'Go to', found: 'Results', searches: 'Search' },
  searching: 'Searching',
  results: (count: number): string => (count === 1 ? '1 result' : `${count} results`),
  none: 'No results',
  noneLead: 'Try a reference, an amount, an email address or the last 4 characters of a voucher code.',
  searchIn: {
    payments: (text: string): string => `Search payments for “${text}”`,
    vouchers: (text: string): string => `Search vouchers for “${text}”`,
    invoices: (text: string): string => `Search invoices for “${text}”`,
    customers: (text: string): string => `Search customers for “${text}”`,
  },
  voucher: 'Voucher',
  screens: { brand: 'Brand', locations: 'Locations and registers', account: 'Account' },
  acts: {
    charge: 'Charge voucher',
    sell: 'Sell voucher',
    issue: 'Issue voucher',
    many: 'Issue many vouchers',
    import: 'Import vouchers',
    refund: 'Refund payment',
    request: 'Request payment',
    payout: 'Send payout',
    payFile: 'Pay a file',
    importCustomers: 'Import customers',
    cashier: 'Switch cashier',
    key: 'Create API key',
    endpoint: 'Add webhook endpoint',
    testVoucher: 'Issue a test voucher',
    test: 'Switch to test mode',
    live: 'Switch to live mode',
  },
  help: '↑ ↓ to move · Enter to choose · Esc to close',
}
