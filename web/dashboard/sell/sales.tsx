import { ReceiptText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import type { SoldVoucher, VoucherSale, VoucherSales } from '../shell/responses.ts'
import { Screen } from '../shell/frame.tsx'
import { formatMoney, Loaded, Money, useShop, When } from '../shell/shop.tsx'
import { usePages } from '../parts/pages.tsx'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { isGivenBack, SaleSlip } from './sale-slip.tsx'
import './sell.css'
import { UndoDialog } from './undo-sale.tsx'

/** Sales, reloads, and what was undone and paid back, each with its receipt. */
export function Sales(): ReactNode {
  const [shown, setShown] = useState<VoucherSale | null>(null)
  const { known, pageLinks } = usePages<VoucherSales>(
    'sell/sales',
    '/merchant-integrations-server/voucher-sales',
    [],
    ({ sales }) => sales.length === 0,
  )
  return (
    <Screen heading={selling.sales.heading} back="/sell">
      <Loaded known={known} placeholder={<SkeletonRows count={10} />}>
        {({ sales }) =>
          sales.length === 0 ? (
            <Empty heading={selling.sales.none} lead={selling.sales.noneLead} />
          ) : (
            <Table caption={selling.sales.caption} columns={columnsFor(setShown)} rows={sales} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {pageLinks}
      {shown !== null && <OneSale sale={shown} onClose={() => setShown(null)} />}
    </Screen>
  )
}

function columnsFor(onShow: (sale: VoucherSale) => void): readonly Column<VoucherSale>[] {
  return [
    {
      name: selling.sales.type,
      kind: 'head',
      cell: ({ kind, isUndone }) => (
        <>
          {selling.kinds[kind]}
          {isUndone && <span className="soft"> {selling.sales.undone}</span>}
        </>
      ),
    },
    { name: selling.sales.voucher, kind: 'extra', cell: ({ codeTail }) => <code>··{codeTail}</code> },
    { name: selling.sales.by, kind: 'extra', cell: ({ soldBy }) => (soldBy === '' ? selling.sales.api : soldBy) },
    { name: selling.sold.tender, kind: 'extra', cell: ({ tender }) => selling.tenders[tender] },
    {
      name: selling.sales.value,
      kind: 'amount',
      cell: ({ value, currency }) => <Money value={value} code={currency} tone="soft" />,
    },
    {
      name: selling.sales.price,
      kind: 'sum',
      cell: (sale) => <Money value={sale.price} code={sale.currency} sign={isGivenBack(sale) ? '−' : ''} />,
    },
    { name: selling.sales.date, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      name: words.receipt.heading,
      kind: 'act',
      cell: (sale) => (
        <Button
          kind="bare"
          size="s"
          aria-label={words.receipt.showOf(formatMoney(sale.price, sale.currency))}
          onClick={() => onShow(sale)}
        >
          <ReceiptText aria-hidden="true" />
          {words.receipt.show}
        </Button>
      ),
    },
  ]
}

/** The receipt. Owners and accountants can undo the sale here, without the voucher. */
function OneSale({ sale, onClose }: { readonly sale: VoucherSale; readonly onClose: () => void }) {
  const { merchant } = useShop()
  const [isUndoing, setIsUndoing] = useState(false)
  const [undone, setUndone] = useState<SoldVoucher | null>(null)
  const mayUndo = merchant.role !== 'cashier' && !merchant.isTill && !isGivenBack(sale) && !sale.isUndone
  if (isUndoing && undone === null) return <UndoDialog sale={sale} onDone={setUndone} onClose={onClose} />
  return (
    <Dialog heading={selling.kinds[(undone?.sale ?? sale).kind]} onClose={onClose}>
      <SaleSlip sale={undone?.sale ?? sale} />
      <div className="acts">
        <Button onClick={() => print()}>{words.print}</Button>
        {mayUndo && undone === null && (
          <Button kind="danger-quiet" onClick={() => setIsUndoing(true)}>
            {sale.kind === 'reload' ? selling.store.undoReload : selling.store.undo}
          </Button>
        )}
        <Button onClick={onClose}>{words.close}</Button>
      </div>
    </Dialog>
  )
}
