import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { PayFile } from './pay-file.tsx'
import { PayoutFileScreen, PayoutFiles } from './payout-files.tsx'
import { Payouts } from './payouts.tsx'
import './payouts.css'
import { SendPayout } from './send-payout.tsx'

/** Everything below /payouts. */
export function PayoutScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/payouts" component={Payouts} />
      <Route path="/payouts/new" component={SendPayout} />
      <Route path="/payouts/pay-file" component={PayFile} />
      <Route path="/payouts/files" component={PayoutFiles} />
      <Route path="/payouts/files/:id">{({ id }) => <PayoutFileScreen key={id} id={id} />}</Route>
    </Switch>
  )
}
