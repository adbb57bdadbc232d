import type { ReactNode } from 'react'
import { Facts } from '../../ui/facts.tsx'
import { shortReference } from '../../../server/src/payments/transaction/short-reference.ts'
import type { SoldVoucher, VoucherSale } from '../shell/responses.ts'
import { place } from '../shell/place.ts'
import { LastDay, Money, When } from '../shell/shop.tsx'
import { SlipHead } from '../payments/slip-head.tsx'
import '../payments/receipt.css'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'

type SaleSlipProps = {
  readonly sale: VoucherSale
  /** As it is now. Unset for a receipt that is shown again. */
  readonly voucher?: SoldVoucher['voucher']
}

/** Whether the shop gave money back. */
export function isGivenBack({ kind }: Pick<VoucherSale, 'kind'>): boolean {
  return kind === 'void' || kind === 'cash_back'
}

/** The receipt of a sale, as it is printed. */
export function SaleSlip({ sale, voucher }: SaleSlipProps): ReactNode {
  const { kind, price, currency, referenceId, location, address, isUndone } = sale
  return (
    <div className="slip printed">
      <SlipHead />
      {location !== '' && <p className="slip-imprint">{[location, address].join('\n').trim()}</p>}
      <p>{selling.kinds[kind]}</p>
      {isUndone && <p className="slip-test">{selling.sold.undone}</p>}
      {place?.mode === 'test' && <p className="slip-test">{words.receipt.test}</p>}
      <div className="slip-amount">
        <Money value={price} code={currency} size="large" />
      </div>
      <Facts rows={rowsOf(sale, voucher)} />
      {shortReference(referenceId) !== referenceId && (
        <p className="slip-small">
          {words.receipt.fullReference}
          {words.colon} {referenceId}
        </p>
      )}
    </div>
  )
}

type FactRow = readonly [string, ReactNode]

function rowsOf(sale: VoucherSale, voucher: SaleSlipProps['voucher']): readonly FactRow[] {
  const { value, price, currency, tender, codeTail, createdAt, soldBy, register, location, referenceId } = sale
  return [
    [selling.sold.value, <Money key="value" value={value} code={currency} />],
    [isGivenBack(sale) ? selling.sold.given : selling.sold.taken, <Money key="price" value={price} code={currency} />],
    [selling.sold.tender, selling.tenders[tender]],
    ...optional(selling.sold.reference, sale.tenderReference),
    ...optional(selling.sold.reason, sale.reason),
    [words.receipt.voucher, <code key="code">··{codeTail}</code>],
    ...(voucher === undefined ? [] : rowsOfVoucher(voucher, currency)),
    [words.receipt.date, <When key="date" at={createdAt} form="receipt" />],
    ...optional(words.receipt.by, soldBy),
    ...optional(selling.sold.register, register === '' ? '' : `${register}, ${location}`),
    [
      words.receipt.reference,
      <code key="reference" title={referenceId}>
        {shortReference(referenceId)}
      </code>,
    ],
  ]
}

function rowsOfVoucher({ balance, expiresAt }: SoldVoucher['voucher'], currency: string): readonly FactRow[] {
  return [
    [selling.sold.balance, <Money key="balance" value={balance} code={currency} />],
    ...(expiresAt === '' ? [] : [[selling.sold.expires, <LastDay key="expires" at={expiresAt} />] as const]),
  ]
}

function optional(name: string, text: string): readonly FactRow[] {
  return text === '' ? [] : [[name, text]]
}
