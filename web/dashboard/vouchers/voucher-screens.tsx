import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { BatchScreen, Batches } from './batches.tsx'
import { ImportVouchers } from './import-vouchers.tsx'
import { IssueMany } from './issue-many.tsx'
import { IssueVoucher } from './issue-voucher.tsx'
import { OneVoucher } from './voucher.tsx'
import './vouchers.css'
import { Vouchers } from './vouchers.tsx'

/** Everything below /vouchers. */
export function VoucherScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/vouchers" component={Vouchers} />
      <Route path="/vouchers/issue" component={IssueVoucher} />
      <Route path="/vouchers/issue-many" component={IssueMany} />
      <Route path="/vouchers/import" component={ImportVouchers} />
      <Route path="/vouchers/batches" component={Batches} />
      <Route path="/vouchers/batches/:id">{({ id }) => <BatchScreen key={id} id={id} />}</Route>
      <Route path="/vouchers/:id">{({ id }) => <OneVoucher key={id} id={id} />}</Route>
    </Switch>
  )
}
