import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { OneCustomer } from './customer.tsx'
import { Customers } from './customers.tsx'
import { ImportCustomers } from './import-customers.tsx'

/** Everything below /customers. */
export function CustomerScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/customers" component={Customers} />
      <Route path="/customers/import" component={ImportCustomers} />
      <Route path="/customers/:id">{({ id }) => <OneCustomer key={id} id={id} />}</Route>
    </Switch>
  )
}
