export type Words = typeof en

export const en = {
  heading: (platform: string): string => `${platform} payments`,
  lead: 'Vouchers, wallets, crypto deposits and invoices, all in one place.',
  demo: 'This is a demo with sample data. npm run dev shows the accounts to sign in with.',
  links: {
    wallet: { name: 'Wallet', lead: 'Pay shops, send and exchange money, deposit crypto.' },
    voucher: { name: 'Voucher', lead: 'Check the balance of a voucher, or use it at a till.' },
    invoice: { name: 'Invoice', lead: 'Send an invoice, with the link of the merchant that pays it.' },
    dashboard: { name: 'Dashboard', lead: 'For merchants: till, payments, vouchers and reports.' },
    docs: { name: 'API reference', lead: 'For developers: every endpoint, with requests to try.' },
  },
}
