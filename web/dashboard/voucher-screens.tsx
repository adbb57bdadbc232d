import type { ReactNode } from 'react'
import { BatchScreen, Batches } from './batches.tsx'
import { ImportVouchers } from './import-vouchers.tsx'
import { IssueMany } from './issue-many.tsx'
import { IssueVoucher } from './issue-voucher.tsx'
import { OneVoucher } from './voucher.tsx'
import './vouchers.css'
import { Vouchers } from './vouchers.tsx'

type VoucherScreensProps = { readonly what: string; readonly id: string }

/** Everything below /vouchers. */
export function VoucherScreens({ what, id }: VoucherScreensProps): ReactNode {
  switch (what) {
    case '':
      return <Vouchers />
    case 'issue':
      return <IssueVoucher />
    case 'issue-many':
      return <IssueMany />
    case 'import':
      return <ImportVouchers />
    case 'batches':
      return id === '' ? <Batches /> : <BatchScreen key={id} id={id} />
    default:
      return <OneVoucher key={what} id={what} />
  }
}
