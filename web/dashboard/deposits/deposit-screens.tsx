import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { Deposits } from './deposits.tsx'
import { OneDeposit } from './deposit.tsx'
import './deposits.css'

/** Everything below /deposits. */
export function DepositScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/deposits" component={Deposits} />
      <Route path="/deposits/:id">{({ id }) => <OneDeposit key={id} id={id} />}</Route>
    </Switch>
  )
}
