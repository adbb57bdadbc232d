import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { OneInvoice } from './invoice.tsx'
import './invoices.css'
import { Invoices } from './invoices.tsx'
import { Receiving } from './receiving.tsx'

/** Everything below /invoices. */
export function InvoiceScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/invoices" component={Invoices} />
      <Route path="/invoices/receive" component={Receiving} />
      <Route path="/invoices/:id">{({ id }) => <OneInvoice key={id} id={id} />}</Route>
    </Switch>
  )
}
