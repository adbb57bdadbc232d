import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { type LogoUrl, toWireCurrency, wireMoney } from '../../catalogue/currency/to-wire.ts'
import { type Wire } from '../../http/schema.ts'
import type { Receipt } from './receipts.ts'
import type { Transaction } from './store.ts'
import { type TransactionType, wireTransaction } from './wire.ts'

const texts: Record<TransactionType, { title: string; message: (amount: string) => string }> = {
  VOUCHER_REDEMPTION: { title: 'Voucher redemption', message: (amount) => `${amount} was redeemed from a voucher.` },
  ADJUSTMENT: {
    title: 'Adjustment',
    message: (amount) => `${amount} was moved because a voucher ended or was reopened.`,
  },
  PAYMENT_REQUEST: { title: 'Payment', message: (amount) => `${amount} was requested in the wallet app.` },
  WALLET_DEPOSIT: { title: 'Deposit', message: (amount) => `${amount} was requested as a crypto deposit.` },
  PAYOUT: { title: 'Payout', message: (amount) => `${amount} is paid out to a wallet.` },
  INVOICE_PAYMENT: { title: 'Invoice paid', message: (amount) => `An invoice of ${amount} was paid by a voucher.` },
  REFUND: { title: 'Refund', message: (amount) => `${amount} was refunded.` },
  VOUCHER_PURCHASE: { title: 'Voucher issued', message: (amount) => `A voucher of ${amount} was issued.` },
}

type ReceiptIn = Receipt & { readonly payCurrency: CatalogueCurrency }

function toWireReceipt({ payCurrency, toDeposit, received, confirmed, credited }: ReceiptIn, to: CatalogueCurrency) {
  const money = (minor: bigint, currency = payCurrency): string => formatMoney({ minor, currency })
  return {
    currency: payCurrency.code,
    amountToDeposit: money(toDeposit),
    receivedAmount: money(received),
    confirmedAmount: money(confirmed),
    creditedAmount: money(credited, to),
  }
}

export function toWireTransaction(
  transaction: Transaction,
  currency: CatalogueCurrency,
  { logoUrl, platformName }: { logoUrl: LogoUrl; platformName: string },
  deposit?: ReceiptIn,
  redemptionHash = '',
): Wire<Static<typeof wireTransaction>> {
  const { id, userId, reference, metadata: metaData, amount } = transaction
  const { type, status, chargeType, createdAt, updatedAt } = transaction
  const { title, message } = texts[type]
  return {
    id,
    userId,
    referenceId: reference,
    metaData,
    type,
    status,
    chargeType,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    title,
    message: message(`${formatMoney({ minor: amount, currency })} ${currency.code}`),
    amount: wireMoney(amount, currency),
    chargedAmount: wireMoney(transaction.charged, currency),
    refundedAmount: wireMoney(transaction.refunded, currency),
    currency: toWireCurrency(currency, logoUrl),
    transactionHash: deposit?.hash ?? redemptionHash,
    ...(deposit && { deposit: toWireReceipt(deposit, currency) }),
    applicationName: platformName,
    referenceHash: hash('sha256', reference, 'hex'),
  }
}
