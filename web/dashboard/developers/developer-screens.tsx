import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { DeliveryScreen } from './delivery.tsx'
import './developers.css'
import { EndpointScreen } from './endpoint.tsx'
import { EventScreen } from './event.tsx'
import { Events } from './events.tsx'
import { Keys } from './keys.tsx'
import { Overview } from './overview.tsx'
import { RequestScreen } from './request.tsx'
import { Requests } from './requests.tsx'
import { Sandbox } from './sandbox.tsx'
import { Webhooks } from './webhooks.tsx'

/** Everything below /developers. */
export function DeveloperScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/developers" component={Overview} />
      <Route path="/developers/keys" component={Keys} />
      <Route path="/developers/webhooks" component={Webhooks} />
      <Route path="/developers/webhooks/:id">{({ id }) => <EndpointScreen key={id} id={id} />}</Route>
      <Route path="/developers/webhooks/:id/:eventId">
        {({ id, eventId }) => <DeliveryScreen key={eventId} id={id} eventId={eventId} />}
      </Route>
      <Route path="/developers/events" component={Events} />
      <Route path="/developers/events/:position">
        {({ position }) => <EventScreen key={position} position={position} />}
      </Route>
      <Route path="/developers/requests" component={Requests} />
      <Route path="/developers/requests/:id">{({ id }) => <RequestScreen key={id} id={id} />}</Route>
      <Route path="/developers/sandbox" component={Sandbox} />
    </Switch>
  )
}
