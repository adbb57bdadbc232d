import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { Sales } from './sales.tsx'
import { Sell } from './sell.tsx'
import { ShiftScreen } from './shift.tsx'

/** Everything below /sell. */
export function SellScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/sell" component={Sell} />
      <Route path="/sell/sales" component={Sales} />
      <Route path="/sell/shift" component={ShiftScreen} />
    </Switch>
  )
}
