import type { ReactNode } from 'react'
import { Route, Switch } from 'wouter'
import { OneMember } from './member.tsx'
import { TeamScreen } from './team.tsx'
import './team.css'

/** Everything below /team. */
export function TeamScreens(): ReactNode {
  return (
    <Switch>
      <Route path="/team" component={TeamScreen} />
      <Route path="/team/:id">{({ id }) => <OneMember key={id} id={id} />}</Route>
    </Switch>
  )
}
