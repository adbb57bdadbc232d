import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { NewRequest } from './new-request.tsx'
import { OneRequest } from './request.tsx'
import { Requests } from './requests.tsx'
import './requests.css'

/** Everything below /requests. */
export function RequestScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/requests" component={Requests} />
      <Route path="/requests/new" component={NewRequest} />
      <Route path="/requests/:reference">
        {({ reference }) => <OneRequest key={reference} reference={reference} />}
      </Route>
    </Switch>
  )
}
