import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { Location } from '../shell/responses.ts'
import { refresh, useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Loaded } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { describeError } from '../words/words.ts'
import { AddRegister, EditLocation, locationsPath, Remove } from './location-dialogs.tsx'
import './locations.css'

type Task =
  | { readonly kind: 'edit'; readonly location: Location | undefined }
  | { readonly kind: 'addRegister'; readonly location: Location }
  | { readonly kind: 'remove'; readonly path: string; readonly name: string; readonly lead: string }

/** Where the shop sells vouchers. Only the owner changes it. */
export function LocationsScreen(): ReactNode {
  const known = useKnown<{ readonly locations: readonly Location[] }>(locationsPath)
  const [task, setTask] = useState<Task | null>(null)
  const { tell, shown } = useOutcome(describeError)
  const add = (
    <Button kind="main" onClick={() => setTask({ kind: 'edit', location: undefined })}>
      {selling.locations.add}
    </Button>
  )
  const finish = (text: string) => {
    setTask(null)
    tell({ data: null }, text)
    void refresh(locationsPath)
  }
  return (
    <Screen heading={selling.locations.heading} lead={selling.locations.lead} back="/settings" acts={add}>
      {shown}
      <Loaded known={known}>
        {({ locations }) =>
          locations.length === 0 ? (
            <Empty heading={selling.locations.none} lead={selling.locations.noneLead} />
          ) : (
            <div className="cards">
              {locations.map((location) => (
                <OneLocation key={location.id} location={location} onTask={setTask} />
              ))}
            </div>
          )
        }
      </Loaded>
      {task?.kind === 'edit' && <EditLocation location={task.location} onDone={finish} onClose={() => setTask(null)} />}
      {task?.kind === 'addRegister' && (
        <AddRegister location={task.location} onDone={finish} onClose={() => setTask(null)} />
      )}
      {task?.kind === 'remove' && <Remove {...task} onDone={finish} onClose={() => setTask(null)} />}
    </Screen>
  )
}

type OneLocationProps = { readonly location: Location; readonly onTask: (task: Task) => void }

function OneLocation({ location, onTask }: OneLocationProps) {
  const { id, name, address, registers } = location
  const remove: Task = {
    kind: 'remove',
    path: `${locationsPath}/${id}`,
    name,
    lead: selling.locations.removeLocationLead,
  }
  const foot = (
    <>
      <Button size="s" onClick={() => onTask({ kind: 'addRegister', location })}>
        {selling.locations.addRegister}
      </Button>
      <span className="acts">
        <Button
          kind="bare"
          size="s"
          aria-label={selling.locations.editOf(name)}
          onClick={() => onTask({ kind: 'edit', location })}
        >
          {selling.locations.edit}
        </Button>
        <Button
          kind="danger-quiet"
          size="s"
          aria-label={selling.locations.removeOf(name)}
          onClick={() => onTask(remove)}
        >
          {selling.locations.remove}
        </Button>
      </span>
    </>
  )
  return (
    <Card heading={name} foot={foot} hasPadding={false}>
      {address !== '' && <p className="location-address">{address}</p>}
      {registers.length === 0 ? (
        <p className="location-address">{selling.locations.noRegisters}</p>
      ) : (
        <ul className="row-list" aria-label={selling.locations.registers}>
          {registers.map((register) => (
            <li key={register.id}>
              <RegisterRow {...register} onTask={onTask} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

type RegisterRowProps = Location['registers'][number] & Pick<OneLocationProps, 'onTask'>

function RegisterRow({ id, name, onTask }: RegisterRowProps) {
  const path = `/merchant-integrations-server/registers/${id}`
  return (
    <Row
      title={name}
      end={
        <Button
          kind="bare"
          size="s"
          aria-label={selling.locations.removeOf(name)}
          onClick={() => onTask({ kind: 'remove', path, name, lead: selling.locations.removeRegisterLead })}
        >
          {selling.locations.remove}
        </Button>
      }
    />
  )
}
